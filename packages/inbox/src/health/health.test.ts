import { openDatabase } from '@feed-receiver/database'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import {
  createTarget,
  describeOnEach,
  isOnCitus,
  embedded,
  useDatabase,
} from '../../../../test/support/databases.ts'
import { startPostgres } from '../../../../test/support/postgres.ts'
import { createInbox, type Inbox } from '../index.ts'

const none = { count: 0, isExact: true }
const isDown = {
  ok: false,
  database: 'down',
  queue: 'down',
  backlog: null,
  dead: null,
  quarantined: null,
  gaps: null,
  pauses: null,
  streams: null,
  rejections: null,
  warnings: [],
}

describeOnEach('the health on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('is good before the first delivery', async () => {
    expect(await inbox.health()).toEqual({
      ok: true,
      problems: [],
      warnings: [],
      database: 'up',
      error: null,
      queue: 'up',
      backlog: { waiting: none, later: none, paused: none, running: none, oldestAgeSeconds: null },
      dead: none,
      quarantined: none,
      gaps: { missed: none, pullOnly: none, probablePause: null },
      pauses: [],
      streams: [],
      rejections: [],
    })
  })

  it('says how far pull has read, without the cursor', async () => {
    const at = new Date('2026-11-03T00:00:00Z')
    const usage = { requests: 1, limit: 9, period: '2026-11', resetsAt: '2026-12-01T00:00:00Z' }
    await inbox.acceptPage([], { stream: 'events', cursor: 'opaque', at, usage })
    expect((await inbox.health()).streams).toEqual([
      {
        stream: 'events',
        phase: 'tailing',
        code: null,
        waitUntil: null,
        startedAt: at.toISOString(),
        polledAt: at.toISOString(),
        rereadAt: null,
        usage,
      },
    ])
  })

  it('shows pending and running events with their ages, and those that need an operator', async () => {
    const delivery = deliveryOf(makeEvent())
    const receivedAt = new Date(Date.now() - 60_000)
    await inbox.accept({ ...delivery, receivedAt })
    await inbox.accept(deliveryOf(makeEvent()))
    await inbox.accept(deliveryOf({ ...delivery.event, type: 'forged' }))
    const { backlog, ...health } = await inbox.health()
    expect(health).toMatchObject({ ok: true, dead: none, quarantined: { count: 1 } })
    expect(backlog).toMatchObject({ waiting: { count: 2, isExact: true }, running: none })
    expect(backlog?.oldestAgeSeconds).toBeGreaterThan(59)

    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    await inbox.work({ '*': () => finished })
    await expect.poll(async () => (await inbox.health()).backlog?.running.count).toBe(2)
    finish()
    await expect.poll(async () => (await inbox.health()).backlog?.oldestAgeSeconds).toBeNull()
  })

  it('counts up to a thousand', embedded, async () => {
    await database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at)
       select 'feed', 'bulk-' || n, 'dead', 't', 'p', 'c', 't', 'c', now(), now()
       from generate_series(1, 1200) n`,
    )
    expect((await inbox.health()).dead).toEqual({ count: 1_000, isExact: false })
  })

  it('distinguishes a missing queue from a missing database', embedded, async () => {
    const { quarantined } = await inbox.health()
    await database().query('alter table feed_inbox.job_common rename to job_away')
    await database().query('alter table feed_inbox.job rename to job_gone')
    expect(await inbox.health()).toMatchObject({
      ok: false,
      database: 'up',
      error: '42P01',
      queue: 'down',
      backlog: null,
      quarantined,
      problems: [{ code: 'queue_down' }],
    })
    await database().query('alter table feed_inbox.job_gone rename to job')
    await database().query('alter table feed_inbox.job_away rename to job_common')
    expect(await inbox.health()).toMatchObject({ ok: true })
  })

  it('is down before start, and once its database is closed', async () => {
    const { target, drop } = await createTarget(kind, 'inbox')
    const other = openDatabase(target)
    const stopped = createInbox({ database: other, onError: () => {} })
    const problem = (message: RegExp) => ({
      code: 'database_down',
      message: expect.stringMatching(message),
    })
    const notRunning = problem(/^This inbox is not running\./)
    expect(await stopped.health()).toEqual({
      ...isDown,
      error: 'not_running',
      problems: [notRunning],
    })
    await stopped.start()
    await other.close()
    const closed = problem(/did not answer \(closed\)/)
    expect(await stopped.health()).toEqual({ ...isDown, error: 'closed', problems: [closed] })
    await stopped.stop().catch(() => undefined)
    await drop()
  })
})

describeOnEach('the health of a troubled inbox on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it.each([
    [
      400,
      /^The clock of this process is 400 s ahead of the database's\. Synchronize both with NTP/,
    ],
    [-400, /^The clock of this process is 400 s behind the database's\./],
  ])('reports a clock skew of %i s', async (seconds, message) => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 })
    // The embedded database uses the clock of this process.
    const isOff = kind === 'postgres'
    const problem = { code: 'clock_skew', message: expect.stringMatching(message) }
    const { ok, problems } = await inbox.health()
    expect({ ok, problems }).toEqual({ ok: !isOff, problems: isOff ? [problem] : [] })
  })

  it('reports a full disk until something is stored again', embedded, async ({ skip }) => {
    skip(isOnCitus(kind), 'Citus supports no triggers.')
    await database().query(
      `create function fill_disk() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
      end $$`,
    )
    await database().query(
      `create trigger fill_disk before insert on feed_inbox.entry
        for each row execute function fill_disk()`,
    )
    await expect(inbox.accept(deliveryOf(makeEvent()))).rejects.toMatchObject({ code: '53100' })
    expect(await inbox.health()).toMatchObject({ ok: false, problems: [{ code: 'disk_full' }] })

    await database().query('drop trigger fill_disk on feed_inbox.entry')
    await inbox.accept(deliveryOf(makeEvent()))
    expect(await inbox.health()).toMatchObject({ ok: true, problems: [] })
  })

  it('reports that nothing is claimed, and that claims are abandoned', embedded, async () => {
    const codes = async () => (await inbox.health()).problems.map(({ code }) => code)
    await inbox.accept(deliveryOf(makeEvent()))
    await database().query(`update feed_inbox.job set start_after = now() - interval '2 minutes'`)
    expect(await codes()).toEqual(['nothing_claimed'])
    await database().query(
      `update feed_inbox.job set state = 'active', started_on = now(), heartbeat_on = now()`,
    )
    expect(await codes()).toEqual([])
    await database().query(`update feed_inbox.job set heartbeat_on = now() - interval '3 minutes'`)
    expect(await codes()).toEqual(['claims_abandoned'])

    await database().query(
      `update feed_inbox.job set state = 'created', start_after = now() - interval '2 minutes'`,
    )
    await inbox.work({ '*': () => {} })
    await expect.poll(codes).toEqual([])
  })

  it(
    'names handlers that run for more than a minute, and those that stop all handling',
    embedded,
    async () => {
      const source = 'hung'
      const hung = createInbox({ database: database(), source })
      onTestFinished(() => hung.stop())
      await hung.start()
      const [first, second] = [makeEvent(), makeEvent()]
      await hung.accept(deliveryOf(first))
      await database().query(
        `update feed_inbox.job set state = 'active', started_on = now() - interval '2 minutes',
         heartbeat_on = now() where name = $1`,
        [source],
      )
      const named = expect.stringMatching(
        new RegExp(`: ${first.type} \\(event ${first.id}, since 20.*Z\\)\\.`),
      )
      expect(await hung.health()).toMatchObject({
        ok: true,
        warnings: [{ code: 'handlers_slow', message: named }],
      })
      await hung.accept(deliveryOf(second))
      await database().query(
        `update feed_inbox.job set start_after = now() - interval '2 minutes'
       where name = $1 and state = 'created'`,
        [source],
      )
      expect(await hung.health()).toMatchObject({
        ok: false,
        problems: [{ code: 'handlers_hung', message: named }],
        warnings: [],
      })
      await database().query(
        `update feed_inbox.job set state = 'active', started_on = now(), heartbeat_on = now()
       where name = $1 and state = 'created'`,
        [source],
      )
      expect(await hung.health()).toMatchObject({ ok: true, warnings: [{ code: 'handlers_slow' }] })
    },
  )

  it(
    'expects no claims for events that wait behind another one of their subject',
    embedded,
    async () => {
      const ordered = createInbox({ database: database(), source: 'other', ordered: 'subject' })
      onTestFinished(() => ordered.stop())
      await ordered.start()
      const event = makeEvent()
      await ordered.accept(deliveryOf(event))
      await ordered.accept(deliveryOf({ ...event, id: `${event.id}_next` }))
      await database().query(
        `update feed_inbox.job set start_after = now() - interval '2 minutes'
       where name = 'other_ordered'`,
      )
      const isFirst = 'id = (select min(id::text)::uuid from feed_inbox.job where name = $1)'
      await database().query(
        `update feed_inbox.job set state = 'retry', start_after = now() + interval '1 hour'
       where ${isFirst}`,
        ['other_ordered'],
      )
      expect((await ordered.health()).problems).toEqual([])
      await database().query(
        `update feed_inbox.job set start_after = now() - interval '2 minutes' where ${isFirst}`,
        ['other_ordered'],
      )
      expect((await ordered.health()).problems).toMatchObject([{ code: 'nothing_claimed' }])
    },
  )
})

describe('on a PostgreSQL that hangs', () => {
  it('the health is down within five seconds, the inbox works again later, or stops in time', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const errors: unknown[] = []
    const inbox = createInbox({
      database: server.url,
      stopTimeoutMs: 500,
      onError: (error) => errors.push(error),
    })
    const idle = createInbox({ database: server.url, source: 'idle', onError: () => {} })
    await inbox.start()
    await idle.start()
    const seen: string[] = []
    await inbox.work({ '*': ({ id }) => void seen.push(id) })
    for (const one of [inbox, idle]) expect(await one.health()).toMatchObject({ ok: true })

    server.freeze()
    const askedAt = performance.now()
    const healths = await Promise.all([inbox.health(), idle.health()])
    expect(performance.now() - askedAt).toBeLessThan(5_000)
    expect(healths).toMatchObject([isDown, isDown])
    // A claim waits for a response, or for a connection if none is idle at that moment.
    const code = expect.stringMatching(/^(?:no_answer|unavailable)$/)
    await expect.poll(() => errors).toContainEqual(expect.objectContaining({ code }))
    server.thaw()
    const event = makeEvent()
    await expect
      .poll(() => inbox.accept(deliveryOf(event)).catch(() => 'failed'))
      .not.toBe('failed')
    await expect.poll(() => seen).toEqual([event.id])
    for (const one of [inbox, idle]) {
      await expect.poll(async () => (await one.health()).ok).toBe(true)
    }

    server.freeze()
    const stoppedAt = performance.now()
    await inbox.stop()
    expect(performance.now() - stoppedAt).toBeLessThan(20_000)
    server.thaw()

    await server.stop()
    expect(await idle.health()).toMatchObject({
      ...isDown,
      error: 'unavailable',
      problems: [{ code: 'database_down' }],
    })
    await idle.stop().catch(() => undefined)
  }, 60_000)
})
