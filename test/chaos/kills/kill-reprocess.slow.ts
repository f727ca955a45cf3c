import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { expect, inject, it, onTestFinished } from 'vitest'
import { makeEvent } from '../../contract/harness.ts'
import { startProgram, type RunningProgram } from '../../support/start-program.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const worker = new URL('reprocess-process.ts', import.meta.url)
const command = new URL('../../../packages/cli/src/bin.ts', import.meta.url)
const count = 3_000

it('handles each event once although a reprocessing and a worker are killed', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const database = openDatabase(url)
  await database.query(
    'create table effect (event_id text not null, is_reprocessed boolean not null)',
  )
  const inbox = createInbox({ database })
  await inbox.start()
  await storeDone(database)
  const start = (program: URL, ...args: string[]): RunningProgram => {
    const child = startProgram(program, args)
    onTestFinished(() => child.kill('SIGKILL'))
    return child
  }
  const reprocess = (...args: string[]) =>
    start(
      command,
      'inbox',
      'reprocess',
      '--type',
      'model_release',
      '--json',
      '--database',
      url,
      ...args,
    )
  const dry = JSON.parse(await reprocess('--dry-run').nextLine())
  expect(dry).toMatchObject({ wouldReprocess: count, emptied: 0 })
  const asBefore = ['--handled-before', String(dry.handledBefore), '--yes']

  const killedWorker = start(worker, url)
  await killedWorker.nextLine()
  // The second slice waits for the lock on one of its entries, so the command is killed during it.
  let unlock = () => {}
  const unlocked = new Promise<void>((resolve) => (unlock = resolve))
  let onLocked = () => {}
  const locked = new Promise<void>((resolve) => (onLocked = resolve))
  const locking = database.tx(async (tx) => {
    await tx.query(`select from feed_inbox.entry where event_id = 'reprocessed_1500' for update`)
    onLocked()
    await unlocked
  })
  await locked
  const killedReprocess = reprocess(...asBefore)
  await until(
    'it waits in its second slice',
    async () => {
      const { rows } = await database.query<{ count: number }>(
        `select count(*) as count from pg_stat_activity
       where application_name like '%cli%' and wait_event_type = 'Lock'`,
      )
      return rows[0]?.count === 1
    },
    { withinMs: 60_000 },
  )
  killedReprocess.kill('SIGKILL')
  expect(await killedReprocess.ended).toBe('SIGKILL')
  await until('some are handled', async () => (await countEffects(database)) > 100, {
    withinMs: 60_000,
  })
  killedWorker.kill('SIGKILL')
  await killedWorker.ended
  unlock()
  await locking
  expect(await countEffects(database)).toBeLessThanOrEqual(1_000)

  await loseHeartbeats(database)
  // The server may or may not commit its last statement. Both are correct.
  await start(worker, url).nextLine()
  const all = [reprocess(...asBefore), reprocess(...asBefore)]
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0])
  const { operations } = await inbox.operations()
  const reprocessed = operations.reduce((sum, { entryCount }) => sum + entryCount, 0)
  expect(reprocessed).toBe(count)
  const isHandled = async () => (await inbox.entries.count({ state: 'received' })).count === 0
  await until('all are handled', isHandled, { withinMs: 120_000 })
  const { rows } = await database.query(
    `select count(*) as effects, count(distinct event_id) as events, bool_and(is_reprocessed) as "isReprocessed"
     from effect`,
  )
  expect(rows).toEqual([{ effects: count, events: count, isReprocessed: true }])
  await inbox.stop()
  await database.close()
  await drop()
}, 240_000)

/** Entries that were already handled. */
async function storeDone(database: Database): Promise<void> {
  const body = JSON.stringify(makeEvent({ id: 'reprocessed_' }))
  await database.query(
    `with stored as (
       insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at, handled_at)
       select 'feed', 'reprocessed_' || n, 'done', 'model_release', 'northwind-ai', 'models',
         'Northwind 1 is out', 'confirmed', now(),
         now() - interval '1 day' + n * interval '1 second', now()
       from generate_series(1, $2::integer) n
       returning id, event_id
     )
     insert into feed_inbox.entry_body (entry_id, body)
     select id, convert_to(replace($1, '"reprocessed_"', '"' || event_id || '"'), 'UTF8') from stored`,
    [body, count],
  )
}

async function countEffects(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>('select count(*) as count from effect')
  return rows[0]?.count ?? 0
}

/**
 * The killed worker may hold jobs until half a minute without a heartbeat. Then they are retried,
 * here at once.
 */
async function loseHeartbeats(database: Database): Promise<void> {
  await database.query(
    `update feed_inbox.job set heartbeat_on = heartbeat_on - interval '1 minute',
       retry_delay = 0, retry_backoff = false
     where state = 'active'`,
  )
}
