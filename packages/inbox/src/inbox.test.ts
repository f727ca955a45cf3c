import type { FeedEvent } from '@feed-receiver/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deliveryInboxCases, deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../test/support/databases.ts'
import {
  createInbox,
  Permanent,
  RetryAfter,
  type HandlerContext,
  type Handlers,
  type Inbox,
} from './index.ts'

interface JobRow {
  state: string
  output: unknown
  inSeconds: number
}

function write({ id }: FeedEvent, tx: HandlerContext['tx'], attempt: number) {
  return tx.query('insert into effect values ($1, $2)', [id, attempt])
}

describeOnEach('the inbox on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  const warnings: unknown[] = []
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database(), onError: (error) => warnings.push(error) })
    await inbox.start()
    await database().query('create table effect (event_id text not null, attempt integer)')
  })
  afterEach(() => {
    const [warning] = warnings.splice(0)
    if (warning) throw warning
  })
  afterAll(() => inbox.stop())

  describe('as a receiver uses it', () => {
    deliveryInboxCases(() => ({
      inbox,
      async bytesOf(eventId) {
        const [row] = await select<{ body: Uint8Array }>(
          `select body from feed_inbox.entry join feed_inbox.entry_body on entry_id = id
           where event_id = $1`,
          eventId,
        )
        return row && Buffer.from(row.body)
      },
      async quarantineOf(eventId) {
        const rows = await select<{ reason: string }>(
          'select reason from feed_inbox.quarantine where event_id = $1',
          eventId,
        )
        return rows.map(({ reason }) => reason)
      },
    }))
  })

  describe('in its tables', () => {
    it(
      'stores the signed body, secret and time, and counts the deliveries [R204]',
      embedded,
      async () => {
        const delivery = deliveryOf(makeEvent())
        await inbox.accept(delivery)
        await inbox.accept({ ...delivery, receivedAt: new Date(delivery.receivedAt.getTime() + 5) })
        const [entry] = await select(
          `select * from feed_inbox.entry join feed_inbox.entry_body on entry_id = id
         where event_id = $1`,
          delivery.event.id,
        )
        expect(entry).toMatchObject({
          source: 'feed',
          sha256: delivery.sha256,
          signed_by: 'abcdef012345',
          signed_at: delivery.signedAt,
          headers: { 'content-type': 'application/json' },
          notes: ['unknown_type', 'extra_members'],
          provider: 'northwind-ai',
          subject_key: 'northwind-1',
          push_count: 2,
          first_push_at: delivery.receivedAt,
          last_push_at: new Date(delivery.receivedAt.getTime() + 5),
          revision: 1,
        })
      },
    )

    it('has one job for each new entry, and none for a duplicate [R169]', async () => {
      const delivery = deliveryOf(makeEvent())
      await Promise.all([inbox.accept(delivery), inbox.accept(delivery)])
      await inbox.accept(delivery)
      expect(await jobsOf(delivery.event.id)).toHaveLength(1)
    })

    it('stores no entry if its job cannot be queued [R169]', async () => {
      const delivery = deliveryOf(makeEvent())
      await database().query('alter table feed_inbox.job_common rename to job_away')
      await expect(inbox.accept(delivery)).rejects.toThrow('does not exist')
      await database().query('alter table feed_inbox.job_away rename to job_common')
      expect(await stateOf(delivery.event.id)).toBeUndefined()
      expect(await inbox.accept(delivery)).toBe('stored')
      // Maintenance of the queue may have accessed the table meanwhile.
      warnings.length = 0
    })

    it('stores valid items of a group despite an invalid one', async () => {
      const good = [1, 2, 3, 4].map(() => deliveryOf(makeEvent()))
      const bad = { ...deliveryOf(makeEvent()), signedBy: 'a NUL \0 in text' }
      const results = await Promise.allSettled(
        [...good, bad, ...good].map((one) => inbox.accept(one)),
      )
      expect(results.map(({ status }) => status)).toEqual([
        ...Array.from({ length: 4 }, () => 'fulfilled'),
        'rejected',
        ...Array.from({ length: 4 }, () => 'fulfilled'),
      ])
    })
  })

  describe('at work', () => {
    const calls = new Map<string, number>()
    const failing = new Set<string>()
    const errors = new Map<string, Error>()
    const handlers: Handlers = {
      outage_started: (event, { tx, attempt }) => write(event, tx, attempt),
      '*': async (event, { tx, attempt }) => {
        calls.set(event.id, (calls.get(event.id) ?? 0) + 1)
        await write(event, tx, attempt)
        const error = errors.get(event.id)
        if (error) throw error
        if (failing.has(event.id)) throw new Error('The handler fails after its write.')
      },
    }

    beforeAll(() => inbox.work(handlers))

    it('passes each event to its handler, whose writes happen once [R15, R175]', async () => {
      const events = ['outage_started', 'model_release', 'never_heard_of', 'constructor'].map(
        (type) => makeEvent({ type }),
      )
      await Promise.all(events.flatMap((event) => [accept(event), accept(event), accept(event)]))
      for (const { id } of events) await expect.poll(() => stateOf(id)).toBe('done')
      for (const { id } of events) expect(await effectsOf(id)).toEqual([1])
    })

    it('passes the event as it was signed', async () => {
      const seen = makeEvent({ extra: { kept: 'ä\u0000\ud800' } })
      await accept(seen)
      await expect.poll(() => stateOf(seen.id)).toBe('done')
      expect(calls.get(seen.id)).toBe(1)
    })

    it('passes no test delivery to a handler [R214]', async () => {
      const event = makeEvent({ type: 'destination_test' })
      await accept(event)
      await expect.poll(() => stateOf(event.id)).toBe('skipped')
      expect(calls.has(event.id)).toBe(false)
      expect(await effectsOf(event.id)).toEqual([])
    })

    it('rolls back the writes of a failed handler, and retries later', async () => {
      const event = makeEvent()
      failing.add(event.id)
      await accept(event)
      await expect.poll(async () => (await jobsOf(event.id))[0]?.state).toBe('retry')
      expect(await effectsOf(event.id)).toEqual([])
      expect(await stateOf(event.id)).toBe('received')
      failing.delete(event.id)
      await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
      await expect.poll(() => stateOf(event.id)).toBe('done')
      expect(await effectsOf(event.id)).toEqual([2])
    })

    it('marks an event as dead when retries are exhausted, and reports it', embedded, async () => {
      const event = makeEvent()
      failing.add(event.id)
      await accept(event)
      await expect.poll(async () => (await jobsOf(event.id))[0]?.state).toBe('retry')
      await database().query(
        `update feed_inbox.job set start_after = now(), retry_limit = 1 where state = 'retry'`,
      )
      await expect.poll(() => stateOf(event.id)).toBe('dead')
      expect(calls.get(event.id)).toBe(2)
      expect(await effectsOf(event.id)).toEqual([])
    })

    it('marks an event as dead at once if its handler throws Permanent', async () => {
      const event = makeEvent()
      errors.set(event.id, new Permanent('No such customer.'))
      await accept(event)
      await expect.poll(() => stateOf(event.id)).toBe('dead')
      expect(calls.get(event.id)).toBe(1)
      expect(await effectsOf(event.id)).toEqual([])
      const [job] = await jobsOf(event.id)
      expect(job).toMatchObject({ state: 'failed', output: { message: 'No such customer.' } })
      const [dead] = await jobsOf(event.id, 'feed_dead')
      expect(dead?.state).toBe('created')
    })

    it.each([
      ['seconds', () => 1_000],
      ['a time', () => new Date(Date.now() + 1_000_000)],
    ])('retries when RetryAfter says, in %s', embedded, async (_, when) => {
      const event = makeEvent()
      errors.set(event.id, new RetryAfter(when()))
      await accept(event)
      await expect.poll(async () => (await jobsOf(event.id))[0]?.state).toBe('retry')
      const [job] = await jobsOf(event.id)
      expect(job?.inSeconds).toBeGreaterThan(900)
      expect(job?.inSeconds).toBeLessThan(1_001)
      expect(await stateOf(event.id)).toBe('received')
      errors.delete(event.id)
      await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
      await expect.poll(() => stateOf(event.id)).toBe('done')
    })

    it('handles nothing twice if a job arrives again [R170]', embedded, async () => {
      const event = makeEvent()
      await accept(event)
      await expect.poll(() => stateOf(event.id)).toBe('done')
      await database().query(
        `update feed_inbox.job set state = 'retry', completed_on = null
         where data ->> 'entryId' = (select id::text from feed_inbox.entry where event_id = $1)`,
        [event.id],
      )
      await expect.poll(async () => (await jobsOf(event.id))[0]?.state).toBe('completed')
      expect(await effectsOf(event.id)).toEqual([1])
    })

    it('works only once for each start', async () => {
      await expect(inbox.work(handlers)).rejects.toThrow('Call work only once')
    })
  })

  describe('from start to stop', () => {
    it('can be started repeatedly and concurrently', embedded, async () => {
      const other = createInbox({ database: database(), source: 'other', schema: 'other_inbox' })
      await Promise.all([other.start(), other.start()])
      await other.start()
      expect(await other.accept(deliveryOf(makeEvent()))).toBe('stored')
      await Promise.all([other.stop(), other.stop()])
      await other.stop()
    })

    it('rejects deliveries before start and after stop, and accepts them after another start', async () => {
      const other = createInbox({ database: database(), source: 'third', schema: 'other_inbox' })
      const delivery = deliveryOf(makeEvent())
      await expect(other.accept(delivery)).rejects.toThrow('await inbox.start()')
      await other.start()
      expect(await other.accept(delivery)).toBe('stored')
      await other.stop()
      await expect(other.accept(delivery)).rejects.toThrow('await inbox.start()')
      await other.start()
      expect(await other.accept(delivery)).toBe('duplicate')
      await other.stop()
    })

    it('separates sources, and stores the same event once for each', async () => {
      const other = createInbox({ database: database(), source: 'fourth' })
      await other.start()
      const delivery = deliveryOf(makeEvent())
      expect(await other.accept(delivery)).toBe('stored')
      expect(await inbox.accept(delivery)).toBe('stored')
      await other.stop()
    })

    it('rejects names that are invalid in SQL', () => {
      expect(() => createInbox({ source: 'a b' })).toThrow('source: use 1 to 40')
      expect(() => createInbox({ source: 'feed_ordered' })).toThrow('does not end with _ordered')
      expect(() => createInbox({ source: 'feed_dead' })).toThrow('does not end with _ordered')
      expect(() => createInbox({ schema: 'a"; drop' })).toThrow('schema: use 1 to 40')
    })

    it('rejects a listenUrl for an open database', () => {
      const options = { database: database(), listenUrl: 'postgres://direct/feed' }
      expect(() => createInbox(options)).toThrow('listenUrl: pass it to openDatabase')
    })
  })

  function accept(event: object) {
    return inbox.accept(deliveryOf(event))
  }

  async function select<Row = Record<string, unknown>>(
    text: string,
    value: string,
  ): Promise<Row[]> {
    const { rows } = await database().query<Row>(text, [value])
    return rows
  }

  async function stateOf(eventId: string): Promise<string | undefined> {
    const [row] = await select<{ state: string }>(
      `select state from feed_inbox.entry where event_id = $1 and source = 'feed'`,
      eventId,
    )
    return row?.state
  }

  async function jobsOf(eventId: string, queue = 'feed'): Promise<JobRow[]> {
    return select<JobRow>(
      `select job.state, job.output,
         extract(epoch from job.start_after - now())::float8 as "inSeconds"
       from feed_inbox.job
       join feed_inbox.entry on job.data ->> 'entryId' = entry.id::text
       where entry.event_id = $1 and job.name = '${queue}'`,
      eventId,
    )
  }

  async function effectsOf(eventId: string): Promise<number[]> {
    const rows = await select<{ attempt: number }>(
      'select attempt from effect where event_id = $1',
      eventId,
    )
    return rows.map(({ attempt }) => attempt)
  }
})
