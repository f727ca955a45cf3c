import type { FeedEvent } from '@feed-receiver/core'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, Permanent } from '../index.ts'
import type { EntryFilter, Handler, HandlerContext, Inbox, InboxOptions } from '../index.ts'

type Call = { id: string } & Pick<HandlerContext, 'reprocess' | 'change' | 'revision' | 'attempt'>

describeOnEach('reprocessing on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  beforeAll(async () => {
    await database().query('create table effect (event_id text not null, is_reprocessed boolean)')
  })

  it(
    'run the handlers of done and skipped entries again, marked as reprocessed',
    embedded,
    async () => {
      const { inbox, calls, drain } = await startRecording()
      const done = await store(inbox)
      const skipped = await store(inbox, { type: 'nobody_handles' })
      const waiting = await store(inbox, { type: 'outage_started' })
      await inbox.drain({ model_release: () => {}, outage_started: fails })
      await runAtOnce()
      await inbox.drain({ outage_started: dies })
      const later = await store(inbox)

      expect(await inbox.entries.reprocess({ filter: {} }, { dryRun: true })).toEqual({
        reprocessed: 2,
        isExact: true,
        emptied: 0,
        handledBefore: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      expect(await statesOf(inbox, done, skipped)).toEqual(['done', 'skipped'])
      expect(await inbox.entries.reprocess({ filter: {} })).toMatchObject({ reprocessed: 2 })
      expect(await statesOf(inbox, done, skipped, waiting)).toEqual([
        'received',
        'received',
        'dead',
      ])
      await drain()
      expect(calls.map(({ id, reprocess }) => [id, reprocess]).toSorted()).toEqual(
        [
          [done, true],
          [skipped, true],
          [later, false],
        ].toSorted(),
      )
      expect(await statesOf(inbox, done, skipped)).toEqual(['done', 'done'])
      expect(await inbox.entries.reprocess({ filter: { state: 'skipped' } })).toMatchObject({
        reprocessed: 0,
      })
    },
  )

  it('find entries by a filter or ids', embedded, async () => {
    const { inbox, drain } = await startRecording()
    const [one, other] = [await store(inbox), await store(inbox, { type: 'other' })]
    await drain()
    const count = async (filter: EntryFilter) =>
      (await inbox.entries.reprocess({ filter }, { dryRun: true })).reprocessed
    expect(await count({ type: 'other' })).toBe(1)
    expect(await count({ type: 'constructor' })).toBe(0)
    expect(await count({ state: 'skipped' })).toBe(0)
    expect(await count({ since: new Date(Date.now() + 60_000) })).toBe(0)
    expect(await inbox.entries.reprocess({ ids: [] })).toMatchObject({ reprocessed: 0 })
    const ids = [one, one, 'nobody', '__proto__']
    expect(await inbox.entries.reprocess({ ids })).toMatchObject({ reprocessed: 1 })
    expect(await statesOf(inbox, one, other)).toEqual(['received', 'done'])
  })

  it('find every corrected event by its revision', embedded, async () => {
    const { inbox, calls, drain } = await startRecording()
    const event = asPulled()
    const untouched = await store(inbox)
    await page(inbox, event)
    await drain()
    await page(inbox, asPulled({ ...event, data: { ...event.data, title: 'Corrected' } }))
    await drain()
    const filter = { minRevision: 2 }
    expect(await inbox.entries.count(filter)).toEqual({ count: 1, isExact: true })
    expect((await inbox.entries.list(filter)).entries).toMatchObject([{ eventId: event.id }])
    expect(await inbox.entries.count({ minRevision: 1 })).toMatchObject({ count: 2 })
    calls.length = 0
    expect(await inbox.entries.reprocess({ filter })).toMatchObject({ reprocessed: 1 })
    await drain()
    expect(calls).toEqual([
      { id: event.id, reprocess: true, change: 'correction', revision: 2, attempt: 1 },
    ])
    expect(await statesOf(inbox, untouched)).toEqual(['done'])
  })

  it('stay marked as reprocessed only while they fail, die and are retried', embedded, async () => {
    const { inbox, calls, drain } = await startRecording()
    const id = await store(inbox)
    await drain()
    await inbox.entries.reprocess({ ids: [id] })
    await inbox.drain({ '*': recording(calls, fails) })
    await runAtOnce()
    await inbox.drain({ '*': recording(calls, dies) })
    expect(await statesOf(inbox, id)).toEqual(['dead'])
    expect(await inbox.entries.reprocess({ ids: [id] })).toMatchObject({ reprocessed: 0 })
    expect(await inbox.entries.retry({ ids: [id] })).toBe(1)
    await drain()
    expect(calls.map(({ reprocess, attempt }) => [reprocess, attempt])).toEqual([
      [false, 1],
      [true, 1],
      [true, 2],
      [true, 1],
    ])
    await database().query(`update feed_inbox.entry set state = 'dead' where event_id = $1`, [id])
    await inbox.entries.retry({ ids: [id] })
    await drain()
    expect(calls.at(-1)).toMatchObject({ reprocess: false })
  })

  it('do not include retries of dead entries that were never handled', embedded, async () => {
    const { inbox, calls, drain } = await startRecording()
    const id = await store(inbox)
    await inbox.drain({ '*': dies })
    await inbox.entries.retry({ ids: [id] })
    await drain()
    expect(calls).toMatchObject([{ reprocess: false }])
  })

  it('stay marked as reprocessed when the sweep requeues them', embedded, async () => {
    const { inbox, calls, drain } = await startRecording()
    const id = await store(inbox, {}, new Date(Date.now() - 120_000))
    await drain()
    await inbox.entries.reprocess({ ids: [id] })
    await database().query(`delete from feed_inbox.job where state = 'created'`)
    await inbox.stop()
    await inbox.start()
    await drain()
    expect(calls.map(({ reprocess }) => reprocess)).toEqual([false, true])
  })

  it('become corrections if a revision arrives before they are handled', async () => {
    const { inbox, calls, drain } = await startRecording()
    const event = asPulled()
    await page(inbox, event)
    await drain()
    await inbox.entries.reprocess({ ids: [event.id] })
    await page(inbox, asPulled({ ...event, data: { ...event.data, title: 'Corrected' } }))
    await drain()
    expect(calls).toMatchObject([
      { reprocess: false, change: 'new', revision: 1 },
      { reprocess: false, change: 'correction', revision: 2 },
    ])
  })

  it('skip recorded effects by default, and can run them again', embedded, async () => {
    const { inbox } = await startRecording()
    const keys: string[] = []
    const drain = () =>
      inbox.drain({
        '*': async (_, { effects }) => {
          await effects.once('page', ({ idempotencyKey }) => void keys.push(idempotencyKey))
        },
      })
    const [id, other] = [await store(inbox), await store(inbox)]
    await drain()
    await inbox.entries.reprocess({ ids: [id] })
    await drain()
    expect(keys).toHaveLength(2)
    keys.length = 0
    await inbox.entries.reprocess({ ids: [id] }, { effects: 'again' })
    await drain()
    await inbox.entries.reprocess({ ids: [id, other] }, { effects: 'again' })
    await drain()
    expect(keys.map((key) => key.slice(key.indexOf('/') + 1)).toSorted()).toEqual(
      [`${id}~1/page`, `${id}~2/page`, `${other}~1/page`].toSorted(),
    )
  })

  it('run effects again that an abandoned run stores late', async () => {
    const { inbox } = await startRecording()
    const keys: string[] = []
    let release = () => {}
    let onStored = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const stored = new Promise<void>((resolve) => (onStored = resolve))
    await inbox.work(
      {
        '*': async (_, { effects, reprocess }) => {
          if (reprocess) {
            release()
            await stored
          }
          await effects.once('page', async ({ idempotencyKey }) => {
            keys.push(idempotencyKey.slice(idempotencyKey.indexOf('/') + 1))
            if (!reprocess) await released
          })
          if (!reprocess) onStored()
        },
      },
      { concurrency: 2 },
    )
    const id = await store(inbox)
    await expect.poll(() => keys).toEqual([`${id}/page`])
    // What another worker does that has claimed the job and finished it.
    await database().query(
      `with finished as (
         update feed_inbox.entry set state = 'done', handled_at = now() where event_id = $1
         returning id
       )
       update feed_inbox.job set state = 'completed', completed_on = now() from finished
       where data ->> 'entryId' = finished.id::text`,
      [id],
    )
    await inbox.entries.reprocess({ ids: [id] }, { effects: 'again' })
    await expect.poll(() => statesOf(inbox, id)).toEqual(['done'])
    expect(keys).toEqual([`${id}/page`, `${id}~1/page`])
  })

  it('create one job for each entry, however many are requested while a worker runs', async () => {
    const { inbox } = await startRecording()
    const ids = await storeDone(inbox, 120)
    await inbox.work({
      '*': (event, { tx, reprocess }) =>
        tx.query('insert into effect values ($1, $2)', [event.id, reprocess]),
    })
    const { handledBefore } = await inbox.entries.reprocess({ filter: {} }, { dryRun: true })
    const all = await Promise.all(
      Array.from({ length: 4 }, () => inbox.entries.reprocess({ filter: {} }, { handledBefore })),
    )
    expect(all.reduce((sum, { reprocessed }) => sum + reprocessed, 0)).toBe(ids.length)
    await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 120 })
    const again = await inbox.entries.reprocess({ filter: {} }, { handledBefore })
    expect(again).toMatchObject({ reprocessed: 0, handledBefore })
    const { rows } = await database().query<{ event_id: string; is_reprocessed: boolean }>(
      'select * from effect where event_id = any($1) order by event_id',
      [ids],
    )
    expect(rows).toEqual(ids.map((event_id) => ({ event_id, is_reprocessed: true })))
  })

  it(
    'stop between two transactions, and continue from there with the same time',
    { timeout: 60_000 },
    async () => {
      const { inbox, calls, drain } = await startRecording()
      const ids = await storeDone(inbox, 2_100)
      const stopping = new AbortController()
      const progress: number[] = []
      const first = await inbox.entries.reprocess(
        { filter: {} },
        {
          by: 'ada',
          signal: stopping.signal,
          onProgress(count) {
            progress.push(count)
            stopping.abort()
          },
        },
      )
      expect(first).toMatchObject({ reprocessed: 1_000 })
      expect(progress).toEqual([1_000])
      // The worker handles the first of them meanwhile.
      await drain(100)
      const { handledBefore } = first
      const rest = await inbox.entries.reprocess({ filter: {} }, { handledBefore })
      expect(rest).toMatchObject({ reprocessed: 1_100, handledBefore })
      const { rows } = await database().query<{ jobs: number; entries: number }>(
        `select count(*) as jobs, count(distinct data ->> 'entryId') as entries
       from feed_inbox.job where name = $1 and state < 'completed'`,
        [`reprocess_${sources}`],
      )
      const handled = new Set(calls.map(({ id }) => id)).size
      const left = ids.length - handled
      expect([calls.length, rows]).toEqual([handled, [{ jobs: left, entries: left }]])
      const { operations } = await inbox.operations()
      const detail = `effects: keep, handledBefore: ${handledBefore}`
      expect(operations).toMatchObject([
        { kind: 'reprocess', by: null, entryCount: 100, detail },
        { kind: 'reprocess', by: null, entryCount: 1_000, detail },
        { kind: 'reprocess', by: 'ada', entryCount: 1_000, detail },
      ])
    },
  )

  it('count entries that retention emptied, and skip them', embedded, async () => {
    const { inbox, drain } = await startRecording()
    const id = await store(inbox)
    await drain()
    await inbox.prune({ bytesAfterDays: 0 })
    await store(inbox)
    await drain()
    expect(await inbox.entries.reprocess({ filter: {} })).toMatchObject({
      reprocessed: 1,
      emptied: 1,
    })
    expect(await inbox.entries.reprocess({ ids: [id] })).toMatchObject({
      reprocessed: 0,
      emptied: 1,
    })
    expect(await statesOf(inbox, id)).toEqual(['done'])
  })

  it('are queued in the order of acceptance, slice by slice', async () => {
    const { inbox } = await startRecording({ ordered: 'subject' })
    const ids = await storeDone(inbox, 2_100)
    await inbox.entries.reprocess({ filter: { type: 'model_release' } })
    const { rows } = await database().query<{ event_id: string }>(
      `select event_id from feed_inbox.job
       join feed_inbox.entry on data ->> 'entryId' = entry.id::text
       where name = $1 order by created_on`,
      [`reprocess_${sources}_ordered`],
    )
    // The last one stored was accepted first.
    expect(rows.map(({ event_id }) => event_id)).toEqual(ids.toReversed())
  })

  it('do not count as an old backlog, and hide no other backlog', embedded, async () => {
    const { inbox, drain } = await startRecording()
    const hour = 3_600_000
    const id = await store(inbox, {}, new Date(Date.now() - 9 * hour))
    await drain()
    await inbox.entries.reprocess({ ids: [id] })
    const oldest = async () => (await inbox.health()).backlog?.oldestAgeSeconds
    expect(await oldest()).toBeNull()
    await store(inbox, {}, new Date(Date.now() - hour))
    expect(await oldest()).toBeCloseTo(3_600, -2)
  })

  it('are claimed after new events', embedded, async () => {
    const { inbox, calls, drain } = await startRecording({ priority: { model_release: -1_000 } })
    const id = await store(inbox)
    await drain()
    await inbox.entries.reprocess({ ids: [id] })
    const later = await store(inbox)
    await inbox.drain({ '*': recording(calls) }, { concurrency: 1 })
    expect(calls.slice(1).map((call) => call.id)).toEqual([later, id])
  })

  it('keep their state and effects if their jobs cannot be queued', embedded, async () => {
    const { inbox, drain } = await startRecording()
    const id = await store(inbox)
    await drain()
    await database().query('alter table feed_inbox.job_common rename to job_away')
    const reprocessing = inbox.entries.reprocess({ ids: [id] }, { effects: 'again' })
    await expect(reprocessing).rejects.toThrow('does not exist')
    await database().query('alter table feed_inbox.job_away rename to job_common')
    expect(await statesOf(inbox, id)).toEqual(['done'])
    expect((await inbox.operations()).operations).toEqual([])
  })

  it.each<[EntryFilter, object, RegExp]>([
    [{ state: 'dead' }, {}, /^state: only done and skipped .* Retry dead entries instead\. More: /],
    [{ state: 'received' }, {}, /^state: only done and skipped/],
    [{ error: 'abc' }, {}, /^error: only dead and failing entries have one/],
    [{ since: 'soon' }, {}, /^since: the time is invalid/],
    [{ minRevision: 0 }, {}, /^minRevision: use a whole number of 1 or more\. More: /],
    [{ minRevision: Number.NaN }, {}, /^minRevision/],
    [{}, { effects: 'twice' }, /^effects: use 'keep' or 'again'\. More: /],
    [{}, { handledBefore: 'soon' }, /^handledBefore: the time is invalid/],
  ])('reject %o with %o', embedded, async (filter, options, message) => {
    const { inbox, drain } = await startRecording()
    const id = await store(inbox)
    await drain()
    await expect(inbox.entries.reprocess({ filter }, options)).rejects.toThrow(message)
    expect(await statesOf(inbox, id)).toEqual(['done'])
  })

  async function startRecording(options: InboxOptions = {}) {
    sources += 1
    const source = `reprocess_${sources}`
    const inbox = createInbox({ database: database(), source, ...options })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const calls: Call[] = []
    const drain = (forMs = 60_000) => inbox.drain({ '*': recording(calls) }, { forMs })
    return { inbox, calls, drain }
  }

  /** Makes retries due that wait for their backoff. */
  async function runAtOnce(): Promise<void> {
    await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
  }

  /** Entries that are done, each accepted before the one with the id below. */
  async function storeDone(inbox: Inbox, count: number): Promise<string[]> {
    const event = makeEvent()
    const id = await store(inbox, event)
    await database().query(
      `with stored as (
         insert into feed_inbox.entry (source, event_id, state, type, provider, category,
           subject_type, subject_key, title, confirmation, created_at, received_at, handled_at)
         select source, $1 || to_char(n, 'FM00000'), 'done', type, provider, category, subject_type,
           subject_key, title, confirmation, created_at, now() - n * interval '1 second', now()
         from feed_inbox.entry, generate_series(1, $2::integer) n where event_id = $1
         returning id, event_id
       )
       insert into feed_inbox.entry_body (entry_id, body)
       select id, convert_to(replace($3, $1, event_id), 'UTF8') from stored`,
      [id, count, JSON.stringify(event)],
    )
    await database().query(
      `with first as (delete from feed_inbox.entry where event_id = $1 returning id)
       delete from feed_inbox.entry_body using first where entry_id = id`,
      [id],
    )
    await database().query(`delete from feed_inbox.job where state = 'created'`)
    return Array.from({ length: count }, (_, n) => `${id}${String(n + 1).padStart(5, '0')}`)
  }
})

async function store(inbox: Inbox, more: object = {}, receivedAt = new Date()): Promise<string> {
  const event = makeEvent(more)
  await inbox.accept({ ...deliveryOf(event), receivedAt })
  return event.id
}

function asPulled(more: object = {}): FeedEvent {
  return { ...makeEvent(more), pull: {} } as FeedEvent
}

async function page(inbox: Inbox, event: FeedEvent): Promise<void> {
  await inbox.acceptPage([event], { stream: 'events', at: new Date() })
}

async function statesOf(inbox: Inbox, ...ids: string[]) {
  return await Promise.all(ids.map(async (id) => (await inbox.entries.get(id))?.state))
}

const fails: Handler = () => {
  throw new Error('This attempt fails.')
}

const dies: Handler = () => {
  throw new Permanent('No attempt can succeed.')
}

function recording(calls: Call[], then: Handler = () => {}): Handler {
  return (event, context) => {
    const { reprocess, change, revision, attempt } = context
    calls.push({ id: event.id, reprocess, change, revision, attempt })
    return then(event, context)
  }
}
