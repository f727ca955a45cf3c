import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, storedDeliveries } from '../index.ts'
import type { EntryRow, Inbox, ListEntriesOptions } from '../index.ts'

const { data } = makeEvent()

describeOnEach('the entries on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  describe('in lists', () => {
    const at = Date.parse('2026-11-02T10:00:00Z')
    const store = (id: string, minute: number, more: object = {}, type = 'model_release') =>
      inbox.accept({
        ...deliveryOf(makeEvent({ id, type, data: { ...data, ...more } })),
        receivedAt: new Date(at + minute * 60_000),
      })

    beforeAll(async () => {
      await store('list-1', 1, { provider: 'acme', title: '100% Up_time' })
      await store('list-2', 2, { category: 'outages', title: 'Ähnlich' }, 'outage_started')
      await store('list-3', 2, { subject: { type: 'model', key: 'Gamma-3' }, title: '100 up' })
      await store('list-4', 4, { subject: { type: null, key: null }, title: 'last' })
    })

    it('come newest first with the listed members', async () => {
      const { entries, next } = await inbox.entries.list()
      expect(idsOf(entries)).toEqual(['list-4', 'list-3', 'list-2', 'list-1'])
      expect(next).toBeNull()
      expect(JSON.parse(JSON.stringify(entries[3]))).toEqual({
        id: expect.any(Number),
        eventId: 'list-1',
        state: 'received',
        type: 'model_release',
        provider: 'acme',
        category: 'models',
        subjectType: 'model',
        subjectKey: 'northwind-1',
        title: '100% Up_time',
        confirmation: 'confirmed',
        notes: ['unknown_type', 'extra_members'],
        createdAt: '2026-11-02T10:00:00.000Z',
        receivedAt: '2026-11-02T10:01:00.000Z',
        handledAt: null,
        pushCount: 1,
        isFailing: false,
        job: { state: 'waiting', attempts: 0, maxAttempts: 11, lastError: null },
      })
    })

    const found: [ListEntriesOptions, string[]][] = [
      [{ provider: 'acme' }, ['list-1']],
      [{ type: 'outage_started' }, ['list-2']],
      [{ category: 'outages' }, ['list-2']],
      [{ subject: 'Gamma-3' }, ['list-3']],
      [{ subject: 'gamma-3' }, []],
      [{ state: 'done' }, []],
      [{ since: '2026-11-02T10:02:00Z', until: new Date(at + 240_000) }, ['list-3', 'list-2']],
      [{ search: 'list-2' }, ['list-2']],
      [{ search: 'GAMMA' }, ['list-3']],
      [{ search: '100' }, ['list-3', 'list-1']],
      [{ search: '100%' }, ['list-1']],
      [{ search: '100% up_' }, ['list-1']],
      [{ search: '1__' }, []],
      [{ search: 'up' }, ['list-3', 'list-1']],
      [{ search: 'TIME' }, ['list-1']],
      [{ search: ' up 100 gamma ' }, ['list-3']],
      [{ search: 'started' }, ['list-2']],
      [{ search: 'HNLI' }, ['list-2']],
      [{ search: 'hnlich', type: 'model_release' }, []],
      [{ search: 'list-' }, []],
      [{ state: 'failing' }, []],
      [{ search: "' or true --" }, []],
      [{ search: '' }, ['list-4', 'list-3', 'list-2', 'list-1']],
      [{ provider: 'northwind-ai', category: 'models', search: 'la' }, ['list-4']],
    ]
    it.each(found)('are filtered by %o', embedded, async (options, ids) => {
      expect(idsOf((await inbox.entries.list(options)).entries)).toEqual(ids)
      expect(await inbox.entries.count(options)).toEqual({ count: ids.length, isExact: true })
    })

    it('are paged without gaps while new ones arrive', embedded, async () => {
      const first = await inbox.entries.list({ until: new Date(at + 600_000), limit: 2 })
      expect(idsOf(first.entries)).toEqual(['list-4', 'list-3'])
      await store('list-5', 5)
      const second = await inbox.entries.list({ limit: 2, after: first.next ?? 0 })
      expect(idsOf(second.entries)).toEqual(['list-2', 'list-1'])
      expect(second.next).toBeNull()
    })

    it('are in one list for any filter, pending or handled', embedded, async () => {
      const ids = Array.from({ length: 6 }, (_, n) => `mixed-${n}`)
      for (const [n, id] of ids.entries()) await store(id, 6 + n, { provider: 'mixed' })
      await database().query(
        `update feed_inbox.entry set state = 'done', handled_at = now()
         where event_id in ('mixed-1', 'mixed-2', 'mixed-4', 'list-1')`,
      )
      const pages: string[] = []
      for (let after: number | undefined; ;) {
        const page = await inbox.entries.list({ provider: 'mixed', limit: 2, after })
        pages.push(idsOf(page.entries).join(' '))
        if (page.next === null) break
        after = page.next
      }
      expect(pages).toEqual(['mixed-5 mixed-4', 'mixed-3 mixed-2', 'mixed-1 mixed-0'])
      expect(await inbox.entries.count({ provider: 'mixed' })).toEqual({ count: 6, isExact: true })
      const waiting = await inbox.entries.list({ provider: 'mixed', state: 'received' })
      expect(idsOf(waiting.entries)).toEqual(['mixed-5', 'mixed-3', 'mixed-0'])
      const { providers } = await inbox.entries.facets()
      expect(providers).toEqual(['acme', 'mixed', 'northwind-ai'])
    })

    it('are paged on behind an entry that was pruned meanwhile', embedded, async () => {
      const ids = Array.from({ length: 4 }, (_, n) => `pruned-${n}`)
      for (const [n, id] of ids.entries()) await store(id, 20 + n, { provider: 'pruned' })
      const filter = { provider: 'pruned', limit: 2 }
      const first = await inbox.entries.list(filter)
      expect(idsOf(first.entries)).toEqual(['pruned-3', 'pruned-2'])
      await database().query(
        `with gone as (select $1::bigint as id),
           job as (delete from feed_inbox.job using gone where data ->> 'entryId' = gone.id::text),
           body as (delete from feed_inbox.entry_body using gone where entry_id = gone.id)
         delete from feed_inbox.entry using gone where entry.id = gone.id`,
        [first.next],
      )
      const second = await inbox.entries.list({ ...filter, after: first.next ?? 0 })
      expect(idsOf(second.entries)).toEqual(['pruned-1', 'pruned-0'])
    })

    it('are read from the store with a limit that is a number of deliveries', async () => {
      const stored = storedDeliveries({
        database: database(),
        source: 'feed',
        schema: 'feed_inbox',
      })
      expect(await stored.find({ filter: {} }, 2)).toHaveLength(2)
      for (const limit of [0, 1.5, Number.NaN]) {
        await expect(stored.find({ filter: {} }, limit)).rejects.toMatchObject({
          code: 'bad_option',
        })
      }
    })

    it('are counted up to a limit', async () => {
      expect(await inbox.entries.count({}, { upTo: 3 })).toEqual({ count: 3, isExact: false })
      await expect(inbox.entries.count({}, { upTo: -5 })).rejects.toMatchObject({
        code: 'bad_option',
      })
    })

    it('reject a target that is neither ids nor a filter', async () => {
      const { entries, quarantined } = inbox
      const stored = storedDeliveries({
        database: database(),
        source: 'feed',
        schema: 'feed_inbox',
      })
      for (const target of [
        {},
        undefined,
        null,
        { filter: undefined },
        { ids: 'list-1' },
      ] as never[]) {
        const rejected = { code: 'bad_option', message: expect.stringContaining('{ ids: [...] }') }
        await expect(entries.retry(target)).rejects.toMatchObject(rejected)
        await expect(entries.reprocess(target)).rejects.toMatchObject(rejected)
        await expect(stored.find(target, 1)).rejects.toMatchObject(rejected)
      }
      for (const target of [{}, null] as never[]) {
        await expect(quarantined.discard(target)).rejects.toMatchObject({ code: 'bad_option' })
      }
    })

    it('reject invalid filters', async () => {
      await expect(inbox.entries.list({ limit: 501 })).rejects.toThrow('limit: use a whole number')
      await expect(inbox.entries.list({ since: 'soon' })).rejects.toThrow(
        'since: the time is invalid',
      )
    })
  })

  describe('one by one', () => {
    it('show the signed delivery and the job', async () => {
      const delivery = deliveryOf(makeEvent({ extra: 'ä'.repeat(200) }))
      await inbox.accept(delivery)
      const details = await inbox.entries.get(delivery.event.id)
      expect(details).toMatchObject({
        event: delivery.event,
        bodyBase64: Buffer.from(delivery.body).toString('base64'),
        sha256: delivery.sha256,
        headers: { 'content-type': 'application/json' },
        signedBy: 'abcdef012345',
        signedAt: delivery.signedAt.toISOString(),
        firstPushAt: delivery.receivedAt.toISOString(),
        lastPushAt: delivery.receivedAt.toISOString(),
        revision: 1,
        job: { state: 'waiting', attempts: 0, maxAttempts: 11, lastError: null, startedAt: null },
      })
      expect(Date.parse(details?.job?.nextAttemptAt ?? '')).not.toBeNaN()
      expect(JSON.parse(JSON.stringify(details))).toEqual(details)
    })

    it('are null if they do not exist', async () => {
      expect(await inbox.entries.get('nobody')).toBeNull()
    })
  })

  describe('at work', () => {
    const failing = new Map<string, string>()

    beforeAll(async () => {
      await inbox.work({
        model_release: ({ id }) => {
          const message = failing.get(id)
          if (message !== undefined) throw new Error(message)
        },
      })
    })

    it('show the attempts and the error of a handler', async () => {
      const id = await fail()
      await expect.poll(async () => (await inbox.entries.get(id))?.job?.state).toBe('retrying')
      expect((await inbox.entries.get(id))?.job).toMatchObject({
        attempts: 1,
        lastError: { message: 'The page cannot be sent.' },
        endedAt: null,
      })
    })

    it('are failing in lists, counts and sums, separately and together', embedded, async () => {
      const id = await fail('postgres://ada:hunter2@db/app refused it.\nSecond line')
      await expect.poll(async () => (await inbox.entries.get(id))?.isFailing).toBe(true)
      const { entries } = await inbox.entries.list({ state: 'failing' })
      expect(entries.every(({ isFailing, state }) => isFailing && state === 'received')).toBe(true)
      const [row] = entries
      expect(row?.eventId).toBe(id)
      expect(row?.job).toEqual({
        state: 'retrying',
        attempts: 1,
        maxAttempts: 11,
        lastError: { message: expect.stringMatching(/^postgres:.*@db\/app refused it\.$/) },
      })
      expect(JSON.stringify(row)).not.toContain('hunter2')
      const all = { count: entries.length, isExact: true }
      expect(await inbox.entries.count({ state: 'failing' })).toEqual(all)
      const { failing: sum, steps } = await inbox.activity()
      expect(sum).toEqual(all)
      const inSteps = steps.filter(({ state }) => state === 'failing')
      expect(inSteps.reduce((total, { accepted }) => total + accepted, 0)).toBe(entries.length)
      // This includes entries whose next attempt is due but has not started.
      await inbox.pause({ reason: 'to look' })
      await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
      expect(await inbox.entries.count({ state: 'failing' })).toEqual(all)
      await inbox.resume()
    })

    it('are retried now while they wait for a retry, by id and by filter', embedded, async () => {
      const [one, other] = [await fail(), await fail()]
      for (const id of [one, other]) {
        await expect.poll(async () => (await inbox.entries.get(id))?.isFailing).toBe(true)
      }
      await database().query(
        `update feed_inbox.job set start_after = now() + interval '1 hour' where state = 'retry'`,
      )
      failing.clear()
      expect(await inbox.entries.retry({ ids: [one] }, { dryRun: true })).toBe(1)
      expect(await inbox.entries.retry({ ids: [one] }, { by: 'Ada' })).toBe(1)
      await expect.poll(() => stateOf(one)).toBe('done')
      expect((await inbox.entries.get(one))?.job).toMatchObject({ attempts: 2 })
      const { operations } = await inbox.operations({ eventId: one })
      expect(operations).toMatchObject([{ kind: 'retry', by: 'Ada', entryCount: 1 }])
      expect(await inbox.entries.retry({ ids: [one] })).toBe(0)

      expect((await inbox.entries.get(other))?.isFailing).toBe(true)
      const filter = { state: 'failing', search: other } as const
      expect(await inbox.entries.retry({ filter: { search: other } })).toBe(0)
      expect(await inbox.entries.retry({ filter }, { dryRun: true })).toBe(1)
      expect(await inbox.entries.retry({ filter })).toBe(1)
      await expect.poll(() => stateOf(other)).toBe('done')
    })

    it('are retried once, however often a retry is requested', embedded, async () => {
      const ids = [await die(), await die(), await die()]
      const target = { ids }
      expect(await inbox.entries.retry(target, { dryRun: true })).toBe(3)
      expect(await stateOf(ids[0])).toBe('dead')
      failing.clear()
      const retried = await Promise.all([1, 2, 3].map(() => inbox.entries.retry(target)))
      expect(retried.reduce((sum, one) => sum + one)).toBe(3)
      for (const id of ids) await expect.poll(() => stateOf(id)).toBe('done')
      for (const id of ids) expect(await countJobs(id)).toBe(2)
      expect(await inbox.entries.retry(target)).toBe(0)
    })

    it('are retried by a filter, the dead ones by default', embedded, async () => {
      const id = await die()
      const skipped = makeEvent({ type: 'nobody_handles' })
      await inbox.accept(deliveryOf(skipped))
      await expect.poll(() => stateOf(skipped.id)).toBe('skipped')
      failing.clear()
      expect(await inbox.entries.retry({ filter: { provider: 'nobody' } })).toBe(0)
      expect(await inbox.entries.retry({ filter: {} })).toBe(1)
      await expect.poll(() => stateOf(id)).toBe('done')
      const filter = { state: 'skipped', type: 'nobody_handles' } as const
      expect(await inbox.entries.retry({ filter }, { dryRun: true })).toBe(1)
      expect(await inbox.entries.retry({ filter })).toBe(1)
      await expect(inbox.entries.retry({ filter: { state: 'done' } })).rejects.toThrow('only dead')
    })

    it('are not retried if there is nothing left to handle', embedded, async () => {
      const id = await die()
      await database().query(
        `delete from feed_inbox.entry_body
         where entry_id = (select id from feed_inbox.entry where event_id = $1)`,
        [id],
      )
      expect(await inbox.entries.retry({ ids: [id] })).toBe(0)
    })

    it('are not requeued if their jobs cannot be queued', async () => {
      const id = await die()
      await database().query('alter table feed_inbox.job_common rename to job_away')
      await expect(inbox.entries.retry({ ids: [id] })).rejects.toThrow('does not exist')
      await database().query('alter table feed_inbox.job_away rename to job_common')
      expect(await stateOf(id)).toBe('dead')
    })

    async function fail(message = 'The page cannot be sent.'): Promise<string> {
      const event = makeEvent()
      failing.set(event.id, message)
      await inbox.accept(deliveryOf(event))
      return event.id
    }

    async function die(): Promise<string> {
      const id = await fail()
      await expect.poll(async () => (await inbox.entries.get(id))?.job?.state).toBe('retrying')
      await database().query(
        `update feed_inbox.job set start_after = now(), retry_limit = 1
         where state = 'retry' and data ->> 'entryId' =
           (select id::text from feed_inbox.entry where event_id = $1)`,
        [id],
      )
      await expect.poll(() => stateOf(id)).toBe('dead')
      return id
    }

    async function stateOf(id: string | undefined): Promise<string | undefined> {
      return (await inbox.entries.get(id ?? ''))?.state
    }

    async function countJobs(id: string): Promise<number | undefined> {
      const { rows } = await database().query<{ count: number }>(
        `select count(*) as count from feed_inbox.job
         join feed_inbox.entry on job.data ->> 'entryId' = entry.id::text
         where entry.event_id = $1 and job.name = 'feed'`,
        [id],
      )
      return rows[0]?.count
    }
  })
})

function idsOf(entries: EntryRow[]): string[] {
  return entries.map(({ eventId }) => eventId)
}
