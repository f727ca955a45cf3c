import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import {
  createTarget,
  describeOnEach,
  embedded,
  useDatabase,
} from '../../../../test/support/databases.ts'
import {
  createInbox,
  Permanent,
  type Handler,
  type Handlers,
  type Inbox,
  type InboxOptions,
} from '../index.ts'

type MadeEvent = ReturnType<typeof makeEvent>

const failsOnce = (): Handler => {
  let calls = 0
  return () => {
    calls += 1
    if (calls === 1) throw new Error('the first attempt fails')
  }
}

describeOnEach('handling on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  beforeAll(async () => {
    await database().query('create table effect (event_id text not null)')
  })

  describe('handlers', () => {
    it.each(['__proto__', 'constructor', 'toString'])(
      'calls only a given handler for the type %s',
      async (type) => {
        const seen: string[] = []
        const own = await startInbox()
        await own.work({ '*': ({ type: seenType }) => seen.push(seenType) })
        await handled(own, makeEvent({ type }))
        expect(seen).toEqual([type])
        const none = await startInbox()
        await none.work({})
        expect(await handled(none, makeEvent({ type }))).toBe('skipped')
        const named = await startInbox()
        await named.work({ futureTypes: { [type]: () => seen.push('named') } })
        expect(await handled(named, makeEvent({ type }))).toBe('done')
        expect(seen).toEqual([type, 'named'])
      },
    )

    it('rejects handlers that are not functions', async () => {
      const inbox = await startInbox()
      const wrong = { outage_started: 'page' } as unknown as Handlers
      await expect(inbox.work(wrong)).rejects.toMatchObject({ code: 'bad_handler' })
      const absent = { outage_started: undefined } as unknown as Handlers
      await expect(inbox.drain(absent)).rejects.toThrow('check that its module is imported')
      await inbox.work({})
    })

    it('completes the job of an entry that is done, without calling its handler again', async () => {
      const inbox = await startInbox()
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      // The state that a killed app leaves whose own transaction marked the entry only.
      const text = `update feed_inbox.entry set state = 'done', handled_at = now() where event_id = $1`
      await database().query(text, [event.id])
      const seen: string[] = []
      await inbox.drain({ '*': ({ id }) => seen.push(id) })
      expect(seen).toEqual([])
      expect((await inbox.entries.get(event.id))?.job).toMatchObject({ state: 'completed' })
    })

    it('rejects more handlers once work has started', async () => {
      const handlers: Handlers = {}
      const inbox = await startInbox()
      await inbox.work(handlers)
      handlers['*'] = () => {}
      expect(await handled(inbox, makeEvent())).toBe('skipped')
    })
  })

  describe('effects.once', () => {
    it('runs an effect once for an entry, and returns its result to later attempts', async () => {
      const keys: string[] = []
      const results: unknown[] = []
      const flaky = failsOnce()
      const inbox = await startInbox()
      await inbox.work({
        '*': async (event, context) => {
          for (const key of ['page', 'mail']) {
            const result = await context.effects.once(key, ({ idempotencyKey }) => {
              keys.push(idempotencyKey)
              return { key, text: 'NUL \0 and half a pair \ud800' }
            })
            results.push(result)
          }
          await flaky(event, context)
        },
      })
      const { id } = await failOnceThenHandle(inbox)
      expect(keys).toEqual([
        expect.stringContaining(`${id}/page`),
        expect.stringContaining(`${id}/mail`),
      ])
      expect(results.slice(2)).toEqual(results.slice(0, 2))
      const entry = await inbox.entries.get(id)
      expect(entry?.effects).toEqual([
        { key: 'page', at: expect.stringMatching(/^\d{4}-.*Z$/) },
        { key: 'mail', at: expect.stringMatching(/^\d{4}-.*Z$/) },
      ])
    })

    it('runs an effect once for concurrent calls of an attempt', async () => {
      let calls = 0
      const results: unknown[] = []
      const inbox = await startInbox()
      await inbox.work({
        '*': async (_, { effects }) => {
          const page = () => effects.once('page', () => (calls += 1))
          results.push(...(await Promise.all([page(), page(), page()])), await page())
        },
      })
      expect(await handled(inbox, makeEvent())).toBe('done')
      expect({ calls, results }).toEqual({ calls: 1, results: [1, 1, 1, 1] })
    })

    it('ends an attempt only after its effects, so that no retry runs one again', async () => {
      const calls: string[] = []
      let finish = () => {}
      const finished = new Promise<void>((resolve) => (finish = resolve))
      onTestFinished(() => finish())
      const inbox = await startInbox()
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      const drained = inbox.drain(
        {
          '*': async (_, { effects, attempt }) => {
            const page = effects.once('page', async () => {
              calls.push(`page in attempt ${attempt}`)
              await finished
            })
            if (attempt === 1) throw new Error('another part fails')
            await page
          },
        },
        { onFailed: () => calls.push('failed') },
      )
      await expect.poll(() => calls).toEqual(['page in attempt 1'])
      const { job } = (await inbox.entries.get(event.id)) ?? {}
      expect(job).toMatchObject({ state: 'running' })
      finish()
      expect(await drained).toMatchObject({ failed: 1 })
      await makeRetriesDue()
      expect(
        await inbox.drain({
          '*': (_, { effects }) => effects.once('page', () => calls.push('again')),
        }),
      ).toMatchObject({ handled: 1 })
      expect(calls).toEqual(['page in attempt 1', 'failed'])
    })

    it('rolls back before it waits for an effect beside a failed statement', embedded, async () => {
      const inbox = await startInbox()
      await inbox.accept(deliveryOf(makeEvent()))
      const drained = inbox.drain(
        {
          '*': async (_, { effects, tx }) => {
            let begin = () => {}
            const begun = new Promise<void>((resolve) => (begin = resolve))
            const page = effects.once('page', async () => {
              begin()
              await delay(100)
            })
            await begun
            await Promise.all([page, tx.query('select 1 / 0')])
          },
        },
        { onFailed: () => {} },
      )
      expect(await drained).toMatchObject({ failed: 1, isEmpty: true })
      const { rows } = await database().query(`select key from feed_inbox.effect where key = 'page'
        and entry_id = (select max(id) from feed_inbox.entry)`)
      expect(rows).toHaveLength(1)
    })

    it('is done only after an effect that its handler did not await', async () => {
      const inbox = await startInbox()
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      let finish = () => {}
      const finished = new Promise<void>((resolve) => (finish = resolve))
      onTestFinished(() => finish())
      const started: string[] = []
      const drained = inbox.drain({
        '*': (_, { effects }) => {
          void effects.once('page', async () => {
            started.push('page')
            await finished
          })
        },
      })
      await expect.poll(() => started).toEqual(['page'])
      expect(await inbox.entries.get(event.id)).toMatchObject({ state: 'received' })
      finish()
      expect(await drained).toMatchObject({ handled: 1 })
      expect(await inbox.entries.get(event.id)).toMatchObject({ state: 'done' })
    })

    it('keeps undefined and null apart', async () => {
      const results: unknown[] = []
      const flaky = failsOnce()
      const inbox = await startInbox()
      await inbox.work({
        '*': async (event, context) => {
          const { effects } = context
          results.push(await effects.once('nothing', () => undefined))
          results.push(await effects.once('null', () => null))
          await flaky(event, context)
        },
      })
      await failOnceThenHandle(inbox)
      expect(results).toEqual([undefined, null, undefined, null])
    })

    it('runs a failed effect again', async () => {
      let calls = 0
      const inbox = await startInbox()
      await inbox.work({
        '*': async (_, { effects }) => {
          await effects.once('page', () => {
            calls += 1
            if (calls === 1) throw new Error('the pager is down')
          })
        },
      })
      await failOnceThenHandle(inbox)
      expect(calls).toBe(2)
    })

    it.each([
      ['a BigInt', () => 1n],
      ['a function', () => () => {}],
      ['a symbol', () => Symbol('result')],
      ['a circle', makeCircle],
    ])('records an effect whose result is %s, and rejects', async (_name, makeResult) => {
      let calls = 0
      const errors: unknown[] = []
      const inbox = await startInbox()
      await inbox.work({
        '*': async (_, { effects }) => {
          await effects
            .once('big', () => {
              calls += 1
              return makeResult()
            })
            .catch((error: unknown) => {
              errors.push(error)
              throw error
            })
        },
      })
      await failOnceThenHandle(inbox)
      expect(calls).toBe(1)
      expect(errors).toEqual([expect.objectContaining({ code: 'bad_result' })])
    })

    it(
      'rejects after the first statement of the transaction, on every database',
      embedded,
      async () => {
        const errors: unknown[] = []
        const inbox = await startInbox()
        await inbox.work({
          '*': async ({ id }, { tx, effects }) => {
            await tx.query('insert into effect values ($1)', [id])
            await effects.once('late', () => {}).catch((error: unknown) => errors.push(error))
          },
        })
        expect(await handled(inbox, makeEvent())).toBe('done')
        expect(errors).toEqual([expect.objectContaining({ code: 'effect_inside_tx' })])
      },
    )
  })

  describe('with order by subject', () => {
    it('handles the events of one subject in order, and other subjects concurrently', async () => {
      const order: string[] = []
      const running: string[] = []
      const together: string[][] = []
      let onBoth = () => {}
      const both = new Promise<void>((resolve) => (onBoth = resolve))
      const inbox = await startInbox({ ordered: 'subject' })
      onTestFinished(() => onBoth())
      const events = Array.from({ length: 12 }, (_, n) => aboutSubject(n % 2 ? 'odd' : 'even'))
      for (const event of events) await inbox.accept(deliveryOf(event))
      await inbox.work(
        {
          '*': async ({ id, data }, { tx }) => {
            const { key } = data.subject
            running.push(String(key))
            together.push(running.toSorted())
            order.push(`${key} ${id}`)
            // The first of each subject waits for the other one.
            if (new Set(running).size === 2) onBoth()
            await both
            await tx.query('insert into effect values ($1)', [id])
            running.splice(running.indexOf(String(key)), 1)
          },
        },
        { concurrency: 8 },
      )
      await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 12 })
      for (const subject of ['odd', 'even']) {
        const expected = events.filter(({ data }) => data.subject.key === subject)
        const got = order.filter((one) => one.startsWith(subject))
        expect(got).toEqual(expected.map(({ id }) => `${subject} ${id}`))
      }
      expect(together).toContainEqual(['even', 'odd'])
      for (const keys of together) expect(keys).toEqual([...new Set(keys)])
    })

    it('keeps the order of concurrent deliveries', async () => {
      const order: string[] = []
      const inbox = await startInbox({ ordered: 'subject' })
      const events = Array.from({ length: 6 }, () => aboutSubject('same'))
      const now = Date.now()
      await Promise.all(
        events.map((event, n) =>
          inbox.accept({ ...deliveryOf(event), receivedAt: new Date(now + n) }),
        ),
      )
      await inbox.work({ '*': ({ id }) => order.push(id) })
      await expect.poll(() => order).toEqual(events.map(({ id }) => id))
    })

    it('keeps the order of concurrent retries', embedded, async () => {
      const order: string[] = []
      const inbox = await startInbox({ ordered: 'subject' })
      const events = Array.from({ length: 6 }, () => aboutSubject('retried'))
      for (const event of events) await inbox.accept(deliveryOf(event))
      let isBroken = true
      await inbox.work({
        '*': ({ id }) => {
          if (isBroken) throw new Permanent('not this time')
          order.push(id)
        },
      })
      const dead = async () => (await inbox.entries.count({ state: 'dead' })).count
      await expect.poll(dead).toBe(events.length)
      isBroken = false
      expect(await inbox.entries.retry({ filter: { state: 'dead' } })).toBe(events.length)
      await expect.poll(() => order).toEqual(events.map(({ id }) => id))
    })

    it('waits for retries of a failed event, but not for a dead one', async () => {
      const order: string[] = []
      const failing = new Set<string>()
      const inbox = await startInbox({ ordered: 'subject' })
      const first = aboutSubject('one')
      const second = aboutSubject('one')
      const third = aboutSubject('one')
      const aside = aboutSubject('other')
      failing.add(first.id)
      for (const event of [first, second, third, aside]) await inbox.accept(deliveryOf(event))
      await inbox.work({
        '*': ({ id }) => {
          if (failing.has(id)) throw new Error('not yet')
          if (id === second.id) throw new Permanent('never')
          order.push(id)
        },
      })
      await expect.poll(async () => (await inbox.entries.get(aside.id))?.state).toBe('done')
      // The first failure is written separately, perhaps after the other subject has finished.
      const stateOfJob = async () => (await inbox.entries.get(first.id))?.job?.state
      await expect.poll(stateOfJob).toBe('retrying')
      expect(await inbox.entries.get(second.id)).toMatchObject({ job: { state: 'waiting' } })
      failing.clear()
      await makeRetriesDue()
      await expect.poll(async () => (await inbox.entries.get(third.id))?.state).toBe('done')
      expect(order).toEqual([aside.id, first.id, third.id])
      expect(await inbox.entries.get(second.id)).toMatchObject({ state: 'dead' })
    })

    it('handles events without a subject in any order', async () => {
      const inbox = await startInbox({ ordered: 'subject' })
      let running = 0
      let release = () => {}
      const both = new Promise<void>((resolve) => (release = resolve))
      await inbox.work({
        '*': async () => {
          running += 1
          if (running === 2) release()
          await both
        },
      })
      const events = [makeEvent(), makeEvent()].map((event) => ({
        ...event,
        data: { ...event.data, subject: { type: null, key: null } },
      }))
      await Promise.all(events.map((event) => handled(inbox, event)))
      expect(running).toBe(2)
    })

    it('adopts jobs that an unordered inbox queued', async () => {
      const unordered = await startInbox()
      const delivery = deliveryOf(makeEvent())
      await unordered.accept({ ...delivery, receivedAt: new Date(Date.now() - 120_000) })
      await unordered.stop()
      const source = `source${sources}`
      const ordered = createInbox({ database: database(), source, ordered: 'subject' })
      onTestFinished(() => ordered.stop())
      await ordered.start()
      await ordered.work({ '*': () => {} })
      await expect
        .poll(async () => (await ordered.entries.get(delivery.event.id))?.state)
        .toBe('done')
    })
  })

  describe('drain', () => {
    it('handles due events and reports an empty queue', async () => {
      const inbox = await startInbox()
      const events = Array.from({ length: 9 }, () => makeEvent())
      for (const event of events) await inbox.accept(deliveryOf(event))
      const handlers: Handlers = {
        '*': async ({ id }, { tx }) => {
          if (id === events[0]?.id) throw new Error('not now')
          await tx.query('insert into effect values ($1)', [id])
        },
      }
      expect(await inbox.drain(handlers)).toEqual({ handled: 8, failed: 1, isEmpty: true })
      expect(await inbox.drain(handlers)).toEqual({ handled: 0, failed: 0, isEmpty: true })
      expect(await inbox.entries.count({ state: 'done' })).toMatchObject({ count: 8 })
    })

    it('starts nothing after its timeout', async () => {
      const inbox = await startInbox()
      for (const event of [makeEvent(), makeEvent(), makeEvent()]) {
        await inbox.accept(deliveryOf(event))
      }
      expect(await inbox.drain({ '*': () => {} }, { forMs: 0 })).toEqual({
        handled: 0,
        failed: 0,
        isEmpty: false,
      })
      const slow: Handler = () => new Promise((resolve) => setTimeout(resolve, 1_250))
      const drained = await inbox.drain({ '*': slow }, { forMs: 1_000, concurrency: 1 })
      expect(drained).toEqual({ handled: 1, failed: 0, isEmpty: false })
    })
  })

  describe('a drain', () => {
    it('requeues events without a job, because no other process sweeps', embedded, async () => {
      const inbox = await startInbox()
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      await database().query('delete from feed_inbox.job where name = $1', [`source${sources}`])
      // The sweep skips entries younger than a minute, because they may be in progress.
      await database().query(
        `update feed_inbox.entry set received_at = now() - interval '2 minutes' where event_id = $1`,
        [event.id],
      )
      expect(await inbox.drain({ '*': () => {} })).toMatchObject({ handled: 1, isEmpty: true })
    })

    it('does not sweep again within five minutes', async () => {
      const inbox = await startInbox()
      await inbox.drain({})
      await inbox.accept(deliveryOf(makeEvent()))
      await database().query('delete from feed_inbox.job where name = $1', [`source${sources}`])
      await database().query(
        `update feed_inbox.entry set received_at = now() - interval '2 minutes' where source = $1`,
        [inbox.source],
      )
      expect(await inbox.drain({ '*': () => {} })).toMatchObject({ handled: 0 })
    })
  })

  it.each([{ concurrency: Number.NaN }, { concurrency: 0 }, { concurrency: 2.5 }])(
    'rejects the concurrency $concurrency',
    async (options) => {
      const inbox = await startInbox()
      await expect(inbox.work({}, options)).rejects.toMatchObject({ code: 'bad_option' })
      await expect(inbox.drain({}, options)).rejects.toMatchObject({ code: 'bad_option' })
      await inbox.work({})
    },
  )

  it('rejects invalid times', async () => {
    const inbox = await startInbox()
    const drain = inbox.drain({}, { forMs: Number.NaN })
    const text = inbox.drain({}, { forMs: '20' as unknown as number })
    await expect(text).rejects.toMatchObject({ code: 'bad_option' })
    await expect(drain).rejects.toMatchObject({ code: 'bad_option' })
    const never = { database: database(), stopTimeoutMs: Number.NaN }
    expect(() => createInbox(never)).toThrow('stopTimeoutMs: use a number of milliseconds')
  })

  describe('a slow handler', () => {
    it('blocks only its own slot', async () => {
      const inbox = await startInbox()
      const slow = makeEvent()
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      await inbox.work(
        {
          '*': async ({ id }) => {
            if (id === slow.id) await released
          },
        },
        { concurrency: 2 },
      )
      await inbox.accept(deliveryOf(slow))
      for (let n = 0; n < 6; n += 1) expect(await handled(inbox, makeEvent())).toBe('done')
      expect(await inbox.entries.get(slow.id)).toMatchObject({ job: { state: 'running' } })
      release()
      await expect.poll(async () => (await inbox.entries.get(slow.id))?.state).toBe('done')
    })

    it('never runs with more than the concurrency, however long commits take', async () => {
      const inbox = await startInbox()
      const events = Array.from({ length: 40 }, () => makeEvent())
      let running = 0
      let most = 0
      for (const event of events) await inbox.accept(deliveryOf(event))
      await inbox.work(
        {
          '*': async ({ id }, { tx }) => {
            running += 1
            most = Math.max(most, running)
            await tx.query('insert into effect values ($1)', [id])
            running -= 1
          },
        },
        { concurrency: 3 },
      )
      await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 40 })
      expect(most).toBeLessThanOrEqual(3)
    })

    it('sends heartbeats, and is aborted when it loses its claim', embedded, async () => {
      const inbox = await startInbox()
      const queueName = `source${sources}`
      await database().query('update feed_inbox.queue set heartbeat_seconds = 1 where name = $1', [
        queueName,
      ])
      let reason: unknown
      await inbox.work({
        '*': async (_, { signal, attempt }) => {
          if (attempt > 1) return
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
          reason = signal.reason
        },
      })
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      const signsOfLife = async () => {
        const { rows } = await database().query<{ on: Date | null }>(
          `select heartbeat_on as on from feed_inbox.job where name = $1 and state = 'active'`,
          [queueName],
        )
        return rows[0]?.on?.getTime() ?? 0
      }
      await expect.poll(signsOfLife).toBeGreaterThan(0)
      const first = await signsOfLife()
      await expect.poll(signsOfLife).toBeGreaterThan(first)
      await database().query(
        `update feed_inbox.job set state = 'retry', start_after = now() where name = $1`,
        [queueName],
      )
      await expect.poll(() => reason).toMatchObject({ code: 'claim_lost' })
      await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
    })

    it('is abandoned and retried if it ignores its abort signal', embedded, async () => {
      const { target, drop } = await createTarget(kind, 'inbox')
      const inbox = await startInbox({ stopTimeoutMs: 1_500, database: target })
      let begun = false
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      await inbox.work({
        '*': async (_, { tx }) => {
          begun = true
          await released
          await tx.query('create table written ()')
        },
      })
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      await expect.poll(() => begun).toBe(true)
      await inbox.stop()
      release()
      await inbox.start()
      expect(await inbox.entries.get(event.id)).toMatchObject({
        state: 'received',
        job: {
          state: 'retrying',
          lastError: {
            message: expect.stringContaining('The inbox stopped before the handler finished.'),
          },
        },
      })
      await inbox.stop()
      await drop()
    })

    it('cannot complete a job that another run has claimed', embedded, async () => {
      const inbox = await startInbox()
      const calls: number[] = []
      let finishFirst = () => {}
      const first = new Promise<void>((resolve) => (finishFirst = resolve))
      await inbox.work({
        '*': async ({ id }, { tx, attempt }) => {
          calls.push(attempt)
          if (attempt === 1) await first
          await tx.query('insert into effect values ($1)', [id])
        },
      })
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      await expect.poll(() => calls).toEqual([1])
      // The supervisor does this after a job has expired.
      await database().query(
        `update feed_inbox.job set state = 'retry', start_after = now()
         where state = 'active' and name = 'source${sources}'`,
      )
      await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
      expect(calls).toEqual([1, 2])
      finishFirst()
      await inbox.stop()
      expect(await effectsOf(event.id)).toBe(1)
    })

    it('is aborted before the inbox stops, and retried: in a worker and in a drain', async () => {
      // A drain of another inbox, to wait for both at the same time.
      const options = { stopTimeoutMs: 10_000 }
      const [inbox, draining] = [await startInbox(options), await startInbox(options)]
      const begun: string[] = []
      const handlers: Handlers = {
        '*': async ({ id }, { signal }) => {
          begun.push(id)
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        },
      }
      const [event, first, second] = [makeEvent(), makeEvent(), makeEvent()]
      await inbox.accept(deliveryOf(event))
      for (const one of [first, second]) await draining.accept(deliveryOf(one))
      await inbox.work(handlers)
      const drained = draining.drain(handlers, { concurrency: 1 })
      await expect.poll(() => begun.length).toBe(2)
      await Promise.all([inbox.stop(), draining.stop()])
      expect(await drained).toEqual({ handled: 0, failed: 1, isEmpty: false })
      // Neither began another one, such as the second of the drain.
      expect(begun.toSorted()).toEqual([event.id, first.id].toSorted())
      await inbox.start()
      expect(await inbox.entries.get(event.id)).toMatchObject({
        state: 'received',
        job: { state: 'retrying', lastError: { message: 'The inbox is stopping.' } },
      })
    })

    it('can finish while the inbox waits for it', embedded, async () => {
      const inbox = await startInbox()
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      let begun = false
      await inbox.work({
        '*': async () => {
          begun = true
          await released
        },
      })
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      await expect.poll(() => begun).toBe(true)
      const stopping = inbox.stop()
      await expect(inbox.accept(deliveryOf(makeEvent()))).rejects.toMatchObject({
        code: 'not_running',
      })
      release()
      await stopping
      await inbox.start()
      expect(await inbox.entries.get(event.id)).toMatchObject({ state: 'done' })
    })
  })

  async function startInbox(options: InboxOptions = {}): Promise<Inbox> {
    sources += 1
    const inbox = createInbox({ database: database(), source: `source${sources}`, ...options })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  async function handled(inbox: Inbox, event: Pick<MadeEvent, 'id'>) {
    await inbox.accept(deliveryOf(event))
    const state = async () => (await inbox.entries.get(event.id))?.state
    await expect.poll(state).not.toBe('received')
    return state()
  }

  async function failOnceThenHandle(inbox: Inbox): Promise<MadeEvent> {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    const entry = () => inbox.entries.get(event.id)
    await expect.poll(async () => (await entry())?.job?.state).toBe('retrying')
    await makeRetriesDue()
    await expect.poll(async () => (await entry())?.state).toBe('done')
    return event
  }

  async function makeRetriesDue() {
    await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
  }

  async function effectsOf(eventId: string): Promise<number> {
    const { rows } = await database().query('select from effect where event_id = $1', [eventId])
    return rows.length
  }
})

function aboutSubject(key: string): MadeEvent {
  const event = makeEvent()
  return { ...event, data: { ...event.data, subject: { type: 'model', key } } }
}

function makeCircle(): unknown[] {
  const circle: unknown[] = []
  circle.push(circle)
  return circle
}
