import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { openTestQueue } from '../../../../test/support/open-test-queue.ts'
import type { OpenTx } from '@feed-receiver/database'
import { createFinish } from './finish.ts'
import type { InboxContext } from '../context.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import { tablesIn } from '../entry/tables.ts'
import { storeInOneStatement } from '../accept/store-entries.ts'
import { migrations } from '../schema/index.ts'

const tables = tablesIn('feed_inbox')

type Claimed = ClaimedJob & { revision: number }

describeOnEach('finishing entries on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let queue: Queue
  let context: InboxContext

  beforeAll(async () => {
    await database().migrate(migrations, { schema: 'feed_inbox' })
    queue = await openTestQueue(database())
    context = { database: database(), tables, source: 'feed', queue }
  })
  afterAll(() => queue.stop())

  it('completes the job in one statement as pg-boss itself does', async () => {
    const finish = createFinish(context)
    const byUs = await finishOne((tx, job) => finish(tx, job, 'done'), 'done')
    const byBoss = await finishOne(async (tx, job) => {
      expect(await queue.complete(job, tx)).toBe(true)
    }, 'received')
    expect(byUs).toMatchObject({ state: 'completed', output: null })
    expect(byUs).toEqual(byBoss)
  })

  it.each(['with the commit', 'before the commit, as in a transaction of the app'])(
    'leaves the entry to the run that now has the job: %s',
    embedded,
    async (when) => {
      const finish = createFinish(context)
      const job = await claimOne()
      const end = (late: Claimed, state: 'done' | 'skipped') =>
        isEnded((tx) =>
          finish(when === 'with the commit' ? tx : { executeSql: tx.executeSql }, late, state),
        )
      expect(await end({ ...job, retryCount: job.retryCount + 1 }, 'done')).toBe(false)
      expect(await end({ ...job, revision: 2 }, 'done')).toBe(false)
      expect((await jobRow(job)).state).toBe('active')
      expect(await end(job, 'skipped')).toBe(true)
      expect(await stateOf(job)).toBe('skipped')
      expect(await end(job, 'done')).toBe(false)
      expect(await stateOf(job)).toBe('skipped')
    },
  )

  async function isEnded(run: (tx: OpenTx) => Promise<void>): Promise<boolean> {
    try {
      await database().tx(run)
      return true
    } catch (error) {
      expect(String(error)).toMatch(/feed_claim_lost|This attempt at entry/)
      return false
    }
  }

  async function claimOne(): Promise<Claimed> {
    const store = storeInOneStatement(context)
    const [entry] = await store(database(), [deliveryOf(makeEvent())])
    const [job] = await queue.claim<ClaimedJob>(1)
    expect(job?.data.entryId).toBe(entry?.id)
    if (!job) throw new Error('It was just stored.')
    return { ...job, revision: 1 }
  }

  async function finishOne(
    finish: (tx: OpenTx, job: Claimed) => Promise<void>,
    state: string,
  ): Promise<Record<string, unknown>> {
    const job = await claimOne()
    await database().tx((tx) => finish(tx, job))
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
