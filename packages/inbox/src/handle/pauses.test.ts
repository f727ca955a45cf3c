import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Handlers, type Inbox, type InboxOptions } from '../index.ts'
import { untilIdle } from '../testing.ts'

const why = { reason: 'the pager is down', by: 'ada' }

describeOnEach('a pause on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0
  const nextSource = () => `source${(sources += 1)}`
  /** The statements of their queues. */
  const statementsOf = new WeakMap<Inbox, string[]>()

  beforeAll(async () => {
    await using inbox = createInbox({ database: database() })
    await inbox.start()
  })

  it('stores new events and handles them after the resume, in every process', async () => {
    const source = nextSource()
    const [one, other] = [await startInbox({ source }), await startInbox({ source })]
    const seen: string[] = []
    for (const inbox of [one, other]) await inbox.work({ '*': ({ id }) => void seen.push(id) })
    await one.pause(why)
    await lookedAgain(one, other)
    const ids = await acceptMany(other, 5)
    expect(await one.drain({ '*': ({ id }) => void seen.push(id) })).toEqual({
      handled: 0,
      failed: 0,
      isEmpty: true,
    })
    await untilIdle(one)
    await lookedAgain(one, other)
    expect(seen).toEqual([])
    expect((await one.health()).backlog).toMatchObject({
      waiting: { count: 5 },
      paused: { count: 5 },
    })
    await other.resume({ by: 'grace' })
    await expect.poll(() => seen.toSorted()).toEqual(ids.toSorted())
    await untilIdle(one)
    expect(await one.entries.count({ state: 'done' })).toMatchObject({ count: 5 })
  })

  it('survives a restart', async () => {
    const source = nextSource()
    await (await startInbox({ source })).pause(why)
    const inbox = await startInbox({ source })
    const seen: string[] = []
    await inbox.work({ '*': ({ id }) => void seen.push(id) })
    await acceptMany(inbox, 1)
    await lookedAgain(inbox)
    expect(seen).toEqual([])
    await inbox.resume()
    await expect.poll(() => seen.length).toBe(1)
  })

  it(
    'of a type does not block other types, however many events wait in front of them',
    embedded,
    async () => {
      const inbox = await startInbox()
      const seen: string[] = []
      await inbox.pause({ types: ['outage_started', 'model_release'], ...why })
      const paused = await acceptMany(inbox, 30, 'outage_started')
      const free = await acceptMany(inbox, 3, 'outage_resolved')
      await inbox.work({ '*': ({ id }) => void seen.push(id) })
      await expect.poll(() => seen.toSorted()).toEqual(free.toSorted())
      await untilIdle(inbox)
      expect(await inbox.resume({ types: ['outage_started'] })).toMatchObject({
        resumed: [{ type: 'outage_started' }],
        stillPaused: [{ type: 'model_release' }],
      })
      await expect.poll(() => seen.toSorted()).toEqual([...paused, ...free].toSorted())
    },
  )

  it('lets running handlers finish', async () => {
    const inbox = await startInbox()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let isRunning = false
    await inbox.work({
      '*': async () => {
        isRunning = true
        await finished
      },
    })
    const [id = ''] = await acceptMany(inbox, 1)
    await expect.poll(() => isRunning).toBe(true)
    await inbox.pause(why)
    finish()
    await expect.poll(async () => (await inbox.entries.get(id))?.state).toBe('done')
  })

  it('holds jobs that were claimed before it if the answer is late', embedded, async () => {
    const source = nextSource()
    const other = await startInbox({ source })
    const paused = await acceptMany(other, 2, 'outage_started')
    const free = await acceptMany(other, 1, 'outage_resolved')
    let isLate = false
    const pauseThen = async (text: string, { rows }: { rows: unknown[] }) => {
      if (isLate || rows.length < 3 || !text.startsWith('with job as (')) return
      isLate = true
      await other.pause({ types: ['outage_started'], ...why })
      // From then on, the worker does not trust the pauses that it read before the claim.
      await delay(1_000)
    }
    const inbox = await startInbox({ source, database: spying([], pauseThen) })
    const seen: { id: string; attempt: number }[] = []
    const handlers: Handlers = {
      '*': ({ id }, { attempt }) => void seen.push({ id, attempt }),
    }
    const once = (ids: string[]) => ids.map((id) => ({ id, attempt: 1 }))
    expect(await inbox.drain(handlers)).toMatchObject({ handled: 1 })
    expect(isLate).toBe(true)
    expect(seen).toEqual(once(free))
    await inbox.resume({ types: ['outage_started'] })
    expect(await other.drain(handlers)).toMatchObject({ handled: 2, isEmpty: true })
    const sorted = seen.slice(1).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(sorted).toEqual(once(paused.toSorted()))
  })

  it('keeps the order within a subject', embedded, async () => {
    const inbox = await startInbox({ ordered: 'subject' })
    const types = ['outage_started', 'outage_resolved', 'outage_started']
    for (const type of types) await inbox.accept(deliveryOf(makeEvent({ type })))
    await inbox.pause({ types: ['outage_started'], ...why })
    const seen: string[] = []
    await inbox.work({ '*': ({ type }) => void seen.push(type) })
    await untilIdle(inbox)
    await lookedAgain(inbox)
    expect(seen).toEqual([])
    expect((await inbox.health()).backlog?.paused.count).toBe(3)
    await inbox.resume({ types: ['outage_started'] })
    await expect.poll(() => seen).toEqual(types)
  })

  it('adds no work when there is none', async () => {
    const inbox = await startInbox()
    const statements = statementsOf.get(inbox) ?? []
    const seen: string[] = []
    await inbox.work({ '*': ({ id }) => void seen.push(id) })
    await acceptMany(inbox, 1)
    await expect.poll(() => seen.length).toBe(1)
    const claims = statements.filter((text) => text.includes(`FOR UPDATE OF j SKIP LOCKED`))
    expect(claims.length).toBeGreaterThan(0)
    for (const text of claims) expect(text).not.toMatch(/group_id (?:<>|IS NULL)|advisory/i)
  })

  /** The same database, which records the statements of the queue. */
  function spying(
    statements: string[],
    beforeAnswer: (text: string, answer: { rows: unknown[] }) => Promise<void> = async () => {},
  ) {
    return {
      ...database(),
      bossOptions() {
        const { db, ...options } = database().bossOptions()
        const executeSql: typeof db.executeSql = async (text, values) => {
          statements.push(text)
          const answer = await db.executeSql(text, values)
          await beforeAnswer(text, answer)
          return answer
        }
        return { ...options, db: { ...db, executeSql } }
      },
    }
  }

  async function startInbox(options: InboxOptions = {}): Promise<Inbox> {
    const statements: string[] = []
    const inbox = createInbox({ database: spying(statements), source: nextSource(), ...options })
    statementsOf.set(inbox, statements)
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  async function acceptMany(inbox: Inbox, count: number, type?: string): Promise<string[]> {
    const deliveries = Array.from({ length: count }, () =>
      deliveryOf(makeEvent(type === undefined ? {} : { type })),
    )
    await Promise.all(deliveries.map((delivery) => inbox.accept(delivery)))
    return deliveries.map(({ event }) => event.id)
  }

  /**
   * Waits until the workers have read the pauses twice. What they claimed before the second time
   * has begun to run.
   */
  async function lookedAgain(...inboxes: Inbox[]): Promise<void> {
    const twice = inboxes.map(async (inbox) => {
      const looks = () =>
        statementsOf.get(inbox)?.filter((text) => text.includes('.pause ')).length ?? 0
      const before = looks()
      const wakeAndLook = async () => {
        // A worker of a quiet inbox reads nothing.
        await database().query(`select pg_notify('feed_inbox', $1)`, [inbox.source])
        return looks()
      }
      await expect.poll(wakeAndLook).toBeGreaterThan(before + 1)
    })
    await Promise.all(twice)
  }
})
