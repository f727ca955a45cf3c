import { runInNewContext } from 'node:vm'
import { fixture } from '@feed-receiver/sender'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import {
  createInbox,
  Permanent,
  RetryAfter,
  type DeadEntry,
  type FailedAttempt,
  type Handler,
  type Inbox,
  type InboxOptions,
} from '../index.ts'

describeOnEach('failures on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0
  let lines: string[] = []
  const failed: FailedAttempt[] = []
  const dead: DeadEntry[] = []
  const errors: unknown[] = []
  const collected = {
    onFailed: (failure: FailedAttempt) => void failed.push(failure),
    onDead: (entry: DeadEntry) => void dead.push(entry),
  }

  beforeEach(() => {
    for (const list of [failed, dead, errors]) list.length = 0
    lines = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      lines.push(String(text))
      return true
    })
  })

  describe('of an attempt', () => {
    it('writes one line to stderr', async () => {
      const inbox = await startInbox()
      const event = await accepted(inbox, { type: 'outage_started' })
      await inbox.drain({ '*': throwing(new TypeError('no\n\u001b[31mpager\u202e \0\ud800!')) })
      expect(lines).toEqual([
        expect.stringMatching(
          `^feed-receiver: outage_started ${event.id} failed in attempt 1 of 11\\. ` +
            String.raw`Next attempt in \d+ s\. TypeError: no \[31mpager \ufffd!\n$`,
        ),
      ])
    })

    it('cuts a long error, and names its cause', async () => {
      const inbox = await startInbox()
      await accepted(inbox)
      await inbox.drain({ '*': throwing(new Error('long '.repeat(1_000_000))) })
      expect(lines[0]?.length).toBeLessThan(500)
      await accepted(inbox)
      const cause = new Error('connect ECONNREFUSED 127.0.0.1:9')
      await inbox.drain({ '*': throwing(new TypeError('fetch failed', { cause })) })
      expect(lines[1]).toMatch(/TypeError: fetch failed \(connect ECONNREFUSED 127\.0\.0\.1:9\)\n$/)
    })

    it('redacts passwords and secrets in an error', async () => {
      const inbox = await startInbox()
      await accepted(inbox)
      const error = new Error('no postgres://app:hunter2@db/app for Bearer abc.def')
      await inbox.drain({ '*': throwing(error) })
      expect(lines[0]).toMatch(/Error: no postgres:\/\/\*\*\*@db\/app for Bearer \*\*\*\n$/)
    })

    it('names the time of the next attempt if it is not soon', async () => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      await inbox.drain({ '*': throwing(new RetryAfter(3_600, 'rate limited')) })
      const next = (await inbox.entries.get(event.id))?.job?.nextAttemptAt
      expect(lines).toEqual([expect.stringContaining(`Next attempt at ${next}. RetryAfter: rate`)])
    })

    it.each([
      ['undefined', undefined],
      ['a text', 'a \0 text'],
      ['an object without a prototype', Object.create(null)],
      ['a symbol', Symbol('odd')],
      ['an error that cannot be read', unreadable()],
      ['an error in a chain of 50,000', chained(50_000)],
      ['an error that is its own cause', circular()],
    ])('is stored and reported when a handler throws %s', async (_, thrown: unknown) => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      await inbox.drain({ '*': throwing(thrown) })
      expect(lines).toHaveLength(1)
      expect(await inbox.entries.get(event.id)).toMatchObject({ job: { state: 'retrying' } })
      expect(errors).toEqual([])
    })

    it.each([
      ['the backoff', new Error('not now')],
      ['RetryAfter', new RetryAfter(1_000)],
    ])('calls onFailed with the retry time for %s', async (_, error) => {
      const inbox = await startInbox()
      const event = await accepted(inbox, { type: 'model_release' })
      await inbox.drain({ '*': throwing(error) }, collected)
      const entry = await inbox.entries.get(event.id)
      expect(failed).toEqual([
        {
          eventId: event.id,
          type: 'model_release',
          entryId: entry?.id,
          attempt: 1,
          maxAttempts: 11,
          error,
          nextAttemptAt: new Date(entry?.job?.nextAttemptAt ?? ''),
        },
      ])
      expect([...dead, ...lines]).toEqual([])
    })

    it('is also passed to the callbacks of work, once to each', async () => {
      const inbox = await startInbox()
      await inbox.work({ '*': throwing(new Error('not now')) }, collected)
      const events = await Promise.all(Array.from({ length: 9 }, () => accepted(inbox)))
      await expect.poll(() => failed).toHaveLength(9)
      await makeRetriesDue()
      await expect.poll(() => failed).toHaveLength(18)
      const second = failed.slice(9)
      expect(second.map(({ attempt }) => attempt)).toEqual(Array.from(second, () => 2))
      const ids = second.map(({ eventId }) => eventId).toSorted()
      expect(ids).toEqual(events.map(({ id }) => id).toSorted())
    })

    it('has the words of the queue if the process was killed', embedded, async () => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      await database().query(
        `update feed_inbox.job set state = 'retry', output = $2::jsonb where name = $1`,
        [`source${sources}`, '{"value":{"message":"job heartbeat timeout"}}'],
      )
      expect((await inbox.entries.get(event.id))?.job).toMatchObject({
        state: 'retrying',
        lastError: { message: 'job heartbeat timeout', stack: null },
      })
    })

    it('is not reported if another run has the entry by now', embedded, async () => {
      const inbox = await startInbox()
      await accepted(inbox)
      const { handler, begun, finish } = held(new Error('too late'))
      const draining = inbox.drain({ '*': handler }, collected)
      await begun
      await database().query(
        `update feed_inbox.job set state = 'retry', retry_count = retry_count + 1,
           start_after = now() + interval '1 hour' where name = $1`,
        [`source${sources}`],
      )
      finish()
      expect(await draining).toMatchObject({ failed: 1 })
      expect([...failed, ...dead, ...errors]).toEqual([])
    })

    it('goes to onError if the entry no longer exists', embedded, async () => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      await database().query('delete from feed_inbox.entry where event_id = $1', [event.id])
      await inbox.drain({}, collected)
      expect(errors).toEqual([expect.objectContaining({ code: 'entry_missing' })])
      expect([...failed, ...dead]).toEqual([])
    })

    it('is reported if the inbox stops before the handler has finished', async () => {
      const inbox = await startInbox({ stopTimeoutMs: 500 })
      const event = await accepted(inbox)
      const { handler, begun, finish } = held(new Error('too late'))
      await inbox.work({ '*': handler }, collected)
      await begun
      await inbox.stop()
      finish()
      expect(failed).toEqual([
        expect.objectContaining({
          eventId: event.id,
          attempt: 1,
          error: expect.objectContaining({ code: 'not_finished' }),
        }),
      ])
      expect(dead).toEqual([])
    })

    it('is not final if the content has changed meanwhile', async () => {
      const inbox = await startInbox()
      const pulled = { ...fixture('model_release'), pull: {} }
      await inbox.acceptPage([pulled], { stream: 'events' })
      const { handler, begun, finish } = held(new Permanent('of the old content'))
      const draining = inbox.drain({ '*': handler }, { ...collected, forMs: 1_000 })
      await begun
      const changed = { ...pulled, data: { ...pulled.data, title: 'Another one' } }
      await inbox.acceptPage([changed], { stream: 'events' })
      const before = Date.now()
      setTimeout(finish, 1_000)
      await draining
      expect(dead).toEqual([])
      expect(failed).toEqual([expect.objectContaining({ attempt: 1 })])
      expect(Number(failed[0]?.nextAttemptAt)).toBeGreaterThan(before - 1_000)
      expect(await inbox.drain({ '*': () => {} })).toMatchObject({ handled: 1 })
    })
  })

  describe('of an entry', () => {
    it('writes one line with the next steps', async () => {
      const inbox = await startInbox()
      const { id } = await accepted(inbox, { type: 'outage_started' })
      await inbox.drain({ '*': throwing(new Permanent('No such customer')) })
      expect(lines).toEqual([
        `feed-receiver: DEAD: outage_started ${id} failed in attempt 1 of 11 and is not retried. ` +
          `Inspect it with \`npx feed-receiver inbox show --source source${sources} ${id}\`, fix ` +
          `the cause, then run \`npx feed-receiver inbox retry --source source${sources} ${id}\`. ` +
          'Permanent: No such customer\n',
      ])
    })

    it('quotes an id for the shell', async () => {
      const inbox = await startInbox()
      await accepted(inbox, { id: `$(id) 'x'; y` })
      await inbox.drain({ '*': throwing(new Permanent('never')) })
      expect(lines[0]).toContain(` retry --source source${sources} -- '$(id) '\\''x'\\''; y'\``)
    })

    it('calls onDead alone if a handler throws Permanent', async () => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      const error = new Permanent('never')
      await inbox.drain({ '*': throwing(error) }, collected)
      const entryId = (await inbox.entries.get(event.id))?.id
      const { id: eventId, type } = event
      expect(dead).toEqual([{ eventId, type, entryId, attempt: 1, maxAttempts: 11, error }])
      expect([...failed, ...lines]).toEqual([])
    })

    it('follows Permanent and RetryAfter of a second copy of the package', async () => {
      vi.resetModules()
      const copy = await import('../index.ts')
      expect(copy.Permanent).not.toBe(Permanent)
      const inbox = await startInbox()
      const event = await accepted(inbox)
      await inbox.drain({ '*': throwing(new copy.RetryAfter(3_600)) }, collected)
      expect(Number(failed[0]?.nextAttemptAt) - Date.now()).toBeGreaterThan(3_500_000)
      await makeRetriesDue()
      await inbox.drain({ '*': throwing(new copy.Permanent('never')) }, collected)
      expect(dead).toEqual([expect.objectContaining({ eventId: event.id, attempt: 2 })])
    })

    it('names the error of another realm', async () => {
      const inbox = await startInbox()
      await accepted(inbox)
      const error: unknown = runInNewContext('new TypeError("no pager")')
      await inbox.drain({ '*': throwing(error) })
      expect(lines).toEqual([expect.stringContaining('TypeError: no pager')])
    })

    it('calls onDead alone for the last attempt', embedded, async () => {
      const inbox = await startInbox()
      await accepted(inbox)
      await database().query('update feed_inbox.job set retry_limit = 1 where name = $1', [
        `source${sources}`,
      ])
      const handlers = { '*': throwing(new Error('again')) }
      await inbox.drain(handlers, collected)
      await makeRetriesDue()
      await inbox.drain(handlers, collected)
      expect(failed.map(({ attempt }) => attempt)).toEqual([1])
      expect(dead.map(({ attempt, maxAttempts }) => [attempt, maxAttempts])).toEqual([[2, 2]])
    })

    it.each([
      [
        'with the stored error of the queue',
        '{"value":{"message":"job heartbeat timeout"}}',
        'job heartbeat timeout',
      ],
      ['also without one', null, 'its process was killed'],
    ])('calls onDead when a sweep finds it, %s', embedded, async (_, output, cause) => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      // The state that the supervisor of the queue leaves after the last attempt of a killed
      // process.
      await database().query(
        `update feed_inbox.job set name = name || '_dead', source_retry_count = 10,
           source_output = $2::jsonb where name = $1`,
        [`source${sources}`, output],
      )
      await database().query(
        `update feed_inbox.entry set received_at = now() - interval '2 minutes' where event_id = $1`,
        [event.id],
      )
      await inbox.drain({}, collected)
      const { id: eventId, type } = event
      const entryId = (await inbox.entries.get(eventId))?.id
      const error = expect.objectContaining({
        code: 'not_finished',
        message: expect.stringContaining(`The last attempt did not finish: ${cause}. More: `),
      })
      expect(dead).toEqual([{ eventId, type, entryId, attempt: 11, maxAttempts: 11, error }])
    })
  })

  describe('reported to the app', () => {
    it('cause no damage if a callback throws or rejects, which goes to onError', async () => {
      const inbox = await startInbox()
      const events = [await accepted(inbox), await accepted(inbox)]
      const handler: Handler = ({ id }) => {
        throw id === events[0]?.id ? new Error('not now') : new Permanent('never')
      }
      const drained = await inbox.drain(
        { '*': handler },
        {
          onFailed: () => {
            throw new Error('onFailed fails')
          },
          onDead: async () => Promise.reject(new Error('onDead fails')),
        },
      )
      expect(drained).toEqual({ handled: 0, failed: 2, isEmpty: true })
      const messages = errors.map(String).toSorted()
      expect(messages).toEqual(['Error: onDead fails', 'Error: onFailed fails'])
      expect(lines).toEqual([])
    })

    it('are awaited by drain, and a callback may query the inbox', async () => {
      const inbox = await startInbox()
      const event = await accepted(inbox)
      const states: unknown[] = []
      const onDead = async ({ eventId }: DeadEntry) => {
        states.push((await inbox.entries.get(eventId))?.state, eventId)
      }
      await inbox.drain({ '*': throwing(new Permanent('never')) }, { onDead })
      expect(states).toEqual(['dead', event.id])
    })

    it('do not delay a drain or a stop for long', async () => {
      const inbox = await startInbox()
      await accepted(inbox)
      const onFailed = () => new Promise(() => {})
      const drained = await inbox.drain({ '*': throwing(new Error('not now')) }, { onFailed })
      expect(drained).toMatchObject({ failed: 1 })
    })

    it('require functions', async () => {
      const inbox = await startInbox()
      // @ts-expect-error what callers without types do
      await expect(inbox.work({}, { onDead: 'page' })).rejects.toThrow('onDead: use a function')
      await inbox.work({}, { onDead: undefined })
    })
  })

  async function startInbox(options: InboxOptions = {}): Promise<Inbox> {
    sources += 1
    const inbox = createInbox({
      database: database(),
      source: `source${sources}`,
      onError: (error) => errors.push(error),
      ...options,
    })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  async function accepted(inbox: Inbox, more: Parameters<typeof makeEvent>[0] = {}) {
    const event = makeEvent(more)
    await inbox.accept(deliveryOf(event))
    return event
  }

  async function makeRetriesDue() {
    await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
  }
})

/** A handler that throws on request. */
function held(error: unknown) {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  let begin = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const handler: Handler = async () => {
    begin()
    await finished
    throw error
  }
  return { handler, begun, finish }
}

function throwing(error: unknown): Handler {
  return () => {
    throw error
  }
}

function chained(length: number): Error {
  let error = new Error('the first')
  for (let n = 0; n < length; n += 1) error = Object.assign(new Error('next'), { cause: error })
  return error
}

function circular(): Error {
  const error = new Error('again and again')
  error.cause = error
  return error
}

function unreadable(): Error {
  return Object.defineProperty(new Error('never seen'), 'message', {
    get() {
      throw new Error('not even this')
    },
  })
}
