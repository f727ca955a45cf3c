import type { Fault } from '../fault.ts'
import type { World } from '../world.ts'
import { until } from '../../../support/until.ts'
import { chooseReceiver } from './choose-member.ts'
import { killAt } from './kill-at-point.ts'
import { withTraffic } from './with-traffic.ts'

/** Only used by the harness. It makes the first commit wait, and lets all others pass. */
const lockKey = 0x5afe

/** A deferred trigger runs between the last statement and the commit. */
const holdCommit = (name: string) => `
  create function hold_commit() returns trigger language plpgsql as $$ begin
    if current_setting('application_name') = '${name}' and pg_try_advisory_xact_lock(${lockKey})
    then perform pg_sleep(60);
    end if;
    return null;
  end $$;
  create constraint trigger hold_commit after insert on feed_inbox.entry
    deferrable initially deferred for each row execute function hold_commit()`

const held = `select pid from pg_stat_activity where wait_event = 'PgSleep' and application_name = $1`
const endHeld = `select pid, pg_terminate_backend(pid) from (${held}) as still`

const removeTrigger = `
  drop trigger if exists hold_commit on feed_inbox.entry;
  drop function if exists hold_commit`

export const killAfterInsert: Fault = {
  name: 'kill-after-insert',
  describe: 'a receiver dies after its first write, before its commit or its next write',
  kind: 'kill',
  holds: ['receivers', 'database'],
  async inject(world, target) {
    const { sql } = world
    const receiver = chooseReceiver(world, target)
    if (world.contender !== 'feed-receiver')
      return await killAt('after-first-write', world, receiver)
    await sql(holdCommit(receiver.name))
    try {
      const isHeld = async () => (await sql(held, [receiver.name])).length > 0
      await withTraffic(world, () =>
        until('an insert waits for its commit', isHeld, { withinMs: 60_000 }),
      )
      const replaced = receiver.replaced('SIGKILL')
      receiver.signal('SIGKILL')
      // The server would still commit, because it notices the death only when it answers.
      const [backend] = await sql<{ pid: number }>(endHeld, [receiver.name])
      if (!backend) throw new Error('the insert was committed before it could be ended')
      const { oldPid, newPid } = await replaced
      return (
        `backend ${backend.pid} was ended before its commit, ` +
        `${receiver.name} was killed, pid ${oldPid} became ${newPid}`
      )
    } finally {
      await letCommitsGo(world, receiver.name)
    }
  },
}

/** Ends waiting commits, which would keep the table locked against dropping the trigger. */
async function letCommitsGo({ sql, connect }: World, name: string): Promise<void> {
  const guard = await connect()
  const progress = { isLocked: false }
  const locking = guard.query(`select pg_advisory_lock(${lockKey})`).then(() => {
    progress.isLocked = true
    return undefined
  })
  await until('nobody holds a commit', async () => {
    await sql(endHeld, [name])
    return progress.isLocked
  })
  await locking
  await sql(removeTrigger)
  await guard.end()
}
