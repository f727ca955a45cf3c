import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import type { Tx } from '@feed-receiver/database'
import { createFinish } from './attempt.ts'
import { openQueue } from '../queue/open-queue.ts'
import type { InboxContext } from '../context.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import { tablesIn } from '../entry/tables.ts'
import { storeInOneStatement } from '../accept/store-entries.ts'
import { migrations } from '../schema/index.ts'

const tables = tablesIn('feed_inbox')

describeOnEach('finishing entries on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let queue: Queue
  let context: InboxContext

  beforeAll(async () => {
    await database().migrate(migrations, { schema: 'feed_inbox' })
    queue = await openQueue({
      name: 'feed',
      schema: 'feed_inbox',
      boss: database().bossOptions(),
      migrate: true,
      onError: () => {},
    })
    context = { database: database(), tables, source: 'feed', queue }
  })
  afterAll(() => queue.stop())

  it('completes the job in one statement as pg-boss itself does', async () => {
    const byUs = await finishOne((tx, job) => createFinish(context)(tx, job, 1, 'done'), 'done')
    const byBoss = await finishOne((tx, job) => queue.complete(job, tx), 'received')
    expect(byUs).toMatchObject({ state: 'completed', output: null })
    expect(byUs).toEqual(byBoss)
  })

  it('leaves the entry to the run that now has the job', embedded, async () => {
    const finish = createFinish(context)
    const job = await claimOne()
    const late = { ...job, retryCount: job.retryCount + 1 }
    expect(await inTx((tx) => finish(tx, late, 1, 'done'))).toBe(false)
    expect(await inTx((tx) => finish(tx, job, 2, 'done'))).toBe(false)
    expect((await jobRow(job)).state).toBe('active')
    expect(await inTx((tx) => finish(tx, job, 1, 'skipped'))).toBe(true)
    expect(await stateOf(job)).toBe('skipped')
    expect(await inTx((tx) => finish(tx, job, 1, 'done'))).toBe(false)
    expect(await stateOf(job)).toBe('skipped')
  })

  // The worker also rolls back if the job is not its own.
  async function inTx(run: (tx: Tx) => Promise<boolean>): Promise<boolean> {
    const lost = new Error('lost')
    try {
      return await database().tx(async (tx) => {
        if (await run(tx)) return true
        throw lost
      })
    } catch (error) {
      if (error !== lost) throw error
      return false
    }
  }

  async function claimOne(): Promise<ClaimedJob> {
    const store = storeInOneStatement(context)
    const [entry] = await store(database(), [deliveryOf(makeEvent())])
    const [job] = await queue.claim(1)
    expect(job?.data.entryId).toBe(entry?.id)
    if (!job) throw new Error('It was just stored.')
    return job
  }

  async function finishOne(
    finish: (tx: Tx, job: ClaimedJob) => Promise<boolean>,
    state: string,
  ): Promise<Record<string, unknown>> {
    const job = await claimOne()
    expect(await inTx((tx) => finish(tx, job))).toBe(true)
    expect(await stateOf(job)).toBe(state)
    const row = await jobRow(job)
    // These differ between jobs, or are optional.
    const own = ['id', 'data', 'created_on', 'start_after', 'started_on', 'completed_on']
    const entries = Object.entries(row).map(([name, value]) => [
      name,
      [...own, 'keep_until', 'heartbeat_on'].includes(name) ? typeof value : value,
    ])
    return Object.fromEntries(entries)
  }

  async function jobRow({ id }: ClaimedJob): Promise<Record<string, unknown>> {
    const { rows } = await database().query('select * from feed_inbox.job where id = $1', [id])
    return rows[0] ?? {}
  }

  async function stateOf({ data }: ClaimedJob): Promise<unknown> {
    const { rows } = await database().query(`select state from ${tables.entry} where id = $1`, [
      data.entryId,
    ])
    return rows[0]?.state
  }
})
