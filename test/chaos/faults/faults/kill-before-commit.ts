import { until } from '../../../support/until.ts'
import type { Fault, Target } from '../fault.ts'
import type { Member } from '../member.ts'
import type { World } from '../world.ts'
import { chooseReceiver, chooseWorker } from './choose-member.ts'
import { killAt } from './kill-at-point.ts'
import { withTraffic } from './with-traffic.ts'

/** Only used by the harness. It makes the first commit wait, and lets all others pass. */
const lockKey = 0x5afe

/** A deferred trigger runs between the last statement and the commit. */
const holdCommit = (name: string, write: 'insert' | 'update') => `
  create function hold_commit() returns trigger language plpgsql as $$ begin
    if current_setting('application_name') = '${name}' and pg_try_advisory_xact_lock(${lockKey})
    then perform pg_sleep(60);
    end if;
    return null;
  end $$;
  create constraint trigger hold_commit after ${write} on feed_inbox.entry
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
    const receiver = chooseReceiver(world, target)
    if (world.contender !== 'feed-receiver')
      return await killAt('after-first-write', world, receiver)
    return await killBeforeCommit(world, receiver, 'insert')
  },
}

export const killAfterFinish: Fault = {
  name: 'kill-after-finish',
  describe: 'a worker dies after the statement that ends an entry, before the commit',
  kind: 'kill',
  holds: ['workers', 'database'],
  inject: (world: World, target: Target) =>
    killBeforeCommit(world, chooseWorker(world, target), 'update'),
}

async function killBeforeCommit<Order>(
  world: World,
  member: Member<Order>,
  write: 'insert' | 'update',
): Promise<string> {
  const { sql } = world
  await sql(holdCommit(member.name, write))
  try {
    const isHeld = async () => (await sql(held, [member.name])).length > 0
    await withTraffic(world, () => until('a commit waits', isHeld, { withinMs: 60_000 }))
    const replaced = member.replaced('SIGKILL')
    member.signal('SIGKILL')
    // The server would still commit, because it notices the death only when it answers.
    const [backend] = await sql<{ pid: number }>(endHeld, [member.name])
    if (!backend) throw new Error('the transaction was committed before it could be ended')
    const { oldPid, newPid } = await replaced
    return (
      `backend ${backend.pid} was ended before its commit, ` +
      `${member.name} was killed, pid ${oldPid} became ${newPid}`
    )
  } finally {
    await letCommitsGo(world, member.name)
  }
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
