import type { Database } from '@feed-receiver/database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { openTestQueue } from '../../../../test/support/open-test-queue.ts'
import type { InboxContext } from '../context.ts'
import type { Queue } from '../queue/queue.ts'
import { tablesIn } from '../entry/tables.ts'
import { storeInOneStatement } from '../accept/store-entries.ts'
import { createSweep, findStranded, type Swept } from './sweep.ts'
import { migrations } from '../schema/index.ts'

const tables = tablesIn('feed_inbox')
const table = tables.entry
const jobs = 'feed_inbox.job'

describeOnEach('the sweep on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let queue: Queue

  beforeAll(async () => {
    await database().migrate(migrations, { schema: 'feed_inbox' })
    queue = await openTestQueue(database())
  })
  afterAll(() => queue.stop())

  it('skips an entry whose job is alive', async () => {
    await storeOld()
    expect(await sweep()).toEqual({ requeued: 0, deadLettered: 0 })
  })

  it('requeues an entry once if its job was deleted', async () => {
    const id = await storeOld()
    await database().query(`delete from ${jobs} where data ->> 'entryId' = $1`, [String(id)])
    expect(await sweep()).toEqual({ requeued: 1, deadLettered: 0 })
    expect(await sweep()).toEqual({ requeued: 0, deadLettered: 0 })
    expect(await jobsOf(id)).toEqual([{ name: 'feed', state: 'created' }])
  })

  it('skips an entry that was only just stored', async () => {
    const id = await store(new Date())
    await database().query(`delete from ${jobs} where data ->> 'entryId' = $1`, [String(id)])
    expect(await sweep()).toEqual({ requeued: 0, deadLettered: 0 })
  })

  it(
    'marks an entry as dead if its job was dead-lettered without the worker',
    embedded,
    async () => {
      const id = await storeOld()
      await database().query(
        `update ${jobs} set name = 'feed_dead' where data ->> 'entryId' = $1`,
        [String(id)],
      )
      expect(await sweep()).toEqual({ requeued: 0, deadLettered: 1 })
      expect(await sweep()).toEqual({ requeued: 0, deadLettered: 0 })
      const { rows } = await database().query(`select state from ${table} where id = $1`, [id])
      expect(rows).toEqual([{ state: 'dead' }])
      expect(await jobsOf(id)).toEqual([{ name: 'feed_dead', state: 'created' }])
    },
  )

  it('checks a limited number each time, and continues where it stopped', embedded, async () => {
    const lost: number[] = []
    for (let n = 0; n < 5; n += 1) lost.push(await storeOld('sliced'))
    await database().query(`delete from ${jobs} where (data ->> 'entryId')::bigint = any($1)`, [
      lost,
    ])
    const context = contextOf('sliced')
    const next = createSweep(context, { sliceSize: 2, maxSlices: 1 })
    const requeued: number[] = []
    for (let n = 0; n < 4; n += 1) requeued.push((await next(() => {})).requeued)
    expect(requeued).toEqual([2, 2, 1, 0])
    await database().query(`delete from ${jobs} where data ->> 'entryId' = $1`, [String(lost[4])])
    expect(await createSweep(context, { sliceSize: 2 })(() => {})).toEqual({
      requeued: 1,
      deadLettered: 0,
    })
  })

  it('finds the job of each entry by an index, even before any statistics', embedded, async () => {
    let plan = ''
    const explaining: Database = {
      ...database(),
      async query(text, values) {
        const { rows } = await database().query(`explain ${text}`, values)
        plan = JSON.stringify(rows)
        return { rows: [], rowCount: 0 }
      },
    }
    await findStranded({ ...contextOf('feed'), database: explaining }, 1_000)
    expect(plan).toMatch(/Index Cond: [^"]*entryId/)
    expect(plan).not.toMatch(/Index Cond: [^"]*name/)
  })

  function contextOf(source: string): InboxContext {
    return { database: database(), tables, source, queue }
  }

  function sweep(): Promise<Swept> {
    return createSweep(contextOf('feed'))(() => {})
  }

  function storeOld(source = 'feed'): Promise<number> {
    return store(new Date(Date.now() - 120_000), source)
  }

  async function store(receivedAt: Date, source = 'feed'): Promise<number> {
    const storeEntries = storeInOneStatement(contextOf(source))
    const [entry] = await storeEntries(database(), [{ ...deliveryOf(makeEvent()), receivedAt }])
    if (!entry) throw new Error('It is a duplicate.')
    return entry.id
  }

  async function jobsOf(id: number): Promise<unknown[]> {
    const { rows } = await database().query(
      `select name, state from ${jobs} where data ->> 'entryId' = $1`,
      [String(id)],
    )
    return rows
  }
})
