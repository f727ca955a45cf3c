import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Handler, type Inbox, type InboxOptions } from '../index.ts'

describeOnEach('limits on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0
  const nextSource = () => `source${(sources += 1)}`

  beforeAll(async () => {
    await using inbox = createInbox({ database: database() })
    await inbox.start()
  })

  it.each([undefined, 'subject'] as const)(
    'apply across all inboxes, however many claim concurrently (ordered: %s)',
    { timeout: 60_000 },
    async (ordered) => {
      const options = { source: nextSource(), ...(ordered && { ordered }) }
      const inboxes = await Promise.all(Array.from({ length: 4 }, () => startInbox(options)))
      const [first] = inboxes
      if (!first) throw new Error('none')
      const most = { outage_started: 0, outage_updated: 0, outage_resolved: 0 }
      const handlers = {
        outage_started: counting((running) => (most.outage_started = running)),
        outage_updated: counting((running) => (most.outage_updated = running)),
        outage_resolved: counting((running) => (most.outage_resolved = running)),
      }
      const ids = await acceptEach(first, 24, Object.keys(handlers))
      const limits = { outage_started: { concurrency: 1 }, outage_updated: { concurrency: 2 } }
      await Promise.all(inboxes.map((inbox) => inbox.work(handlers, { limits, concurrency: 6 })))
      await expect
        .poll(async () => (await first.entries.count({ state: 'done' })).count, { timeout: 30_000 })
        .toBe(ids.length)
      expect(most).toMatchObject({ outage_started: 1, outage_updated: 2 })
      expect(most.outage_resolved).toBeGreaterThan(2)
    },
  )

  it('do not block other types behind a full one, which continues when a run ends', async () => {
    const inbox = await startInbox()
    const ends: (() => void)[] = []
    const seen: string[] = []
    const started = await acceptEach(inbox, 5, ['outage_started'])
    await acceptEach(inbox, 2, ['outage_resolved'])
    const limits = { outage_started: { concurrency: 1 } }
    await inbox.work(
      {
        outage_started: () => new Promise<void>((resolve) => ends.push(resolve)),
        outage_resolved: ({ id }) => void seen.push(id),
      },
      { limits },
    )
    await expect.poll(() => seen.length).toBe(2)
    for (const done of started.keys()) {
      await expect.poll(() => ends.length).toBe(done + 1)
      ends[done]?.()
    }
    await expect.poll(async () => (await inbox.entries.count({ state: 'done' })).count).toBe(7)
  })

  it('apply to a drain', async () => {
    const inbox = await startInbox()
    let most = 0
    await acceptEach(inbox, 6, ['outage_started'])
    const drained = await inbox.drain(
      { outage_started: counting((running) => (most = running)) },
      { limits: { outage_started: { concurrency: 2 } }, concurrency: 5 },
    )
    expect(drained).toEqual({ handled: 6, failed: 0, isEmpty: true })
    expect(most).toBe(2)
  })

  it.each(['__proto__', 'constructor'])('apply to a type called %s', async (type) => {
    const inbox = await startInbox()
    await acceptEach(inbox, 4, [type])
    let most = 0
    const drained = await inbox.drain(
      { futureTypes: Object.fromEntries([[type, counting((running) => (most = running))]]) },
      { limits: Object.fromEntries([[type, { concurrency: 1 }]]) },
    )
    expect(drained).toMatchObject({ handled: 4 })
    expect(most).toBe(1)
  })

  it(
    'free the slot of a killed worker after a missed heartbeat',
    { ...embedded, timeout: 90_000 },
    async () => {
      const source = nextSource()
      const inbox = await startInbox({ source })
      const ids = await acceptEach(inbox, 2, ['outage_started'])
      // The state that a worker leaves if it is killed during its handler.
      await database().query(
        `update feed_inbox.job set state = 'active', started_on = now(), heartbeat_on = now()
       where name = $1 and data ->> 'entryId' = (
         select min(id)::text from feed_inbox.entry where source = $1)`,
        [source],
      )
      const seen: string[] = []
      const limits = { outage_started: { concurrency: 1 } }
      await inbox.work({ '*': ({ id }) => void seen.push(id) }, { limits })
      // Behind the other one, so the worker has passed over that.
      const [free = ''] = await acceptEach(inbox, 1, ['outage_resolved'])
      await expect.poll(() => seen).toEqual([free])
      await database().query(
        `update feed_inbox.job set heartbeat_on = now() - interval '1 hour',
         retry_delay = 0, retry_backoff = false where name = $1 and state = 'active'`,
        [source],
      )
      await expect
        .poll(() => seen.toSorted(), { timeout: 60_000 })
        .toEqual([...ids, free].toSorted())
    },
  )

  it.each([0, 1.5, Number.NaN, -1, '1', undefined])(
    'reject %s before anything runs',
    async (concurrency) => {
      const inbox = await startInbox()
      const limits = { outage_started: { concurrency: concurrency as number } }
      await expect(inbox.work({}, { limits })).rejects.toThrow(
        'limits.outage_started.concurrency: use a whole number from 1 to 1,000.',
      )
      await expect(inbox.drain({}, { limits })).rejects.toMatchObject({ code: 'bad_option' })
      await inbox.work({})
    },
  )

  it.each([
    ['outage_start', "Did you mean 'outage_started'?"],
    ['constructor', 'Correct the name'],
    ['*', 'Correct the name'],
  ])('reject the unknown type %s', async (type, says) => {
    const inbox = await startInbox()
    const limits = { [type]: { concurrency: 1 } }
    const rejected = inbox.work({ '*': () => undefined }, { limits })
    await expect(rejected).rejects.toMatchObject({ code: 'unknown_limit' })
    await expect(rejected).rejects.toThrow(says)
  })

  it.each([undefined, 'subject'] as const)(
    'leave the order to the priority (ordered: %s)',
    embedded,
    async (ordered) => {
      const priority = { outage_started: 10 }
      const inbox = await startInbox({ priority, ...(ordered && { ordered }) })
      for (const limits of [{}, { model_release: { concurrency: 1 } }]) {
        await acceptEach(inbox, 3, ['model_release'])
        await acceptEach(inbox, 1, ['outage_started'])
        const seen: string[] = []
        await inbox.drain({ '*': ({ type }) => void seen.push(type) }, { limits, concurrency: 1 })
        expect(seen).toEqual(['outage_started', ...Array(3).fill('model_release')])
      }
    },
  )

  /** A handler that reports the maximum of its concurrent runs. */
  function counting(tell: (most: number) => void): Handler {
    let running = 0
    let most = 0
    return async () => {
      running += 1
      most = Math.max(most, running)
      tell(most)
      await delay(10)
      running -= 1
    }
  }

  async function startInbox(options: InboxOptions = {}): Promise<Inbox> {
    const inbox = createInbox({ database: database(), source: nextSource(), ...options })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  /** Accepts a number of events of each type, type by type, each with its own subject. */
  async function acceptEach(inbox: Inbox, count: number, types: string[]): Promise<string[]> {
    const ids: string[] = []
    for (const type of types) {
      for (let n = 0; n < count; n += 1) {
        const event = makeEvent({ type })
        const subject = { ...event.data.subject, key: event.id }
        await inbox.accept(deliveryOf({ ...event, data: { ...event.data, subject } }))
        ids.push(event.id)
      }
    }
    return ids
  }
})
