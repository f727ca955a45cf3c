import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@feed-receiver/database'
import { describe, expect, it } from 'vitest'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox } from '@feed-receiver/inbox'
import { minute, openAlertWorld, type AlertWorld } from '../../test/alert-world.ts'
import { createAlerts, type Alert } from './index.ts'

const start = Date.parse('2026-11-02T10:00:00Z')

async function openDead(world: AlertWorld, type = 'outage_started'): Promise<void> {
  await world.store({ id: `dead-${type}`, at: start, type, state: 'dead' })
}

async function revive(world: AlertWorld, type = 'outage_started'): Promise<void> {
  await world.change({ id: `dead-${type}`, state: 'done', at: start })
}

/** The alerts of an inbox that is not started, so every check fails. */
function createFailing(database: Database, source: string) {
  const inbox = createInbox({ database, source })
  const errors: unknown[] = []
  const alerts = createAlerts({
    inbox,
    notify: () => {},
    intervalMs: 100,
    onError: (error) => errors.push(error),
  })
  return { inbox, alerts, errors }
}

describeOnEach('alerts on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')

  it('notify once, however many processes check concurrently', async () => {
    await using world = await openAlertWorld(database(), 'at_once')
    await openDead(world)
    await openDead(world, 'constructor')
    await Promise.all(Array.from({ length: 8 }, () => world.check(start)))
    expect(world.news().toSorted()).toEqual(['open dead constructor', 'open dead outage_started'])
    expect(world.sent.find(({ subject }) => subject === 'outage_started')).toEqual({
      id: expect.any(Number),
      rule: 'dead',
      subject: 'outage_started',
      state: 'open',
      source: 'at_once',
      message: 'Dead entries of type outage_started: 1.',
      fix: expect.stringContaining('feed-receiver inbox retry'),
      isOptional: false,
      openedAt: new Date(start).toISOString(),
      closedAt: null,
      idempotencyKey: expect.stringMatching(/^at_once\/\d+\/open$/),
    })
    await revive(world)
    for (const at of [1, 16]) {
      await Promise.all(Array.from({ length: 8 }, () => world.check(start + at * minute)))
    }
    expect(world.news().slice(2)).toEqual(['closed dead outage_started'])
  })

  it('are listed with open ones first, then the latest', embedded, async () => {
    await using world = await openAlertWorld(database(), 'listed')
    for (const type of ['one', 'two', 'three']) {
      await openDead(world, type)
      await world.check(start)
    }
    for (const type of ['one', 'three']) await revive(world, type)
    await world.check(start + minute)
    await world.check(start + 16 * minute)
    const list = (await world.alerts.list()).map(({ subject, closedAt }) => [subject, closedAt])
    const closedAt = new Date(start + 16 * minute).toISOString()
    expect(list).toEqual([
      ['two', null],
      ['three', closedAt],
      ['one', closedAt],
    ])
    expect(await world.alerts.list({ limit: 1 })).toMatchObject([{ subject: 'two' }])
    expect(await world.alerts.list({ state: 'open' })).toMatchObject([{ subject: 'two' }])
    expect(await world.alerts.list({ state: 'closed', limit: 1 })).toMatchObject([
      { subject: 'three' },
    ])
    const state: string = 'constructor'
    await expect(world.alerts.list({ state: state as 'open' })).rejects.toThrow('state: use')
    await expect(world.alerts.list({ limit: 0 })).rejects.toThrow('limit: use')
  })

  it(
    'do not open if the condition ends before its delay, even across a restart',
    embedded,
    async () => {
      const check = async (at: number, change?: (world: AlertWorld) => Promise<void>) => {
        await using world = await openAlertWorld(database(), 'short')
        await change?.(world)
        await world.check(start + at * minute)
        return world.news()
      }
      const wait = (world: AlertWorld) =>
        world.store({ id: 'waits', at: start - 20 * minute, state: 'received' })
      const end = (world: AlertWorld) => world.change({ id: 'waits', state: 'done', at: start })
      const waitAgain = (world: AlertWorld) =>
        world.change({ id: 'waits', state: 'received', at: start })
      expect(await check(0, wait)).toEqual([])
      expect(await check(1, end)).toEqual([])
      // The condition must last for the delay again.
      expect(await check(2, waitAgain)).toEqual([])
      expect(await check(3)).toEqual([])
      expect(await check(4)).toEqual(['open oldest_pending'])
    },
  )

  it('do not close if the condition comes back', async () => {
    await using world = await openAlertWorld(database(), 'flapping')
    await openDead(world)
    for (let at = 0; at < 60; at += 1) {
      if (at % 10 === 5) await revive(world)
      if (at % 10 === 9) await world.change({ id: 'dead-outage_started', state: 'dead', at: start })
      await world.check(start + at * minute)
    }
    expect(world.news()).toEqual(['open dead outage_started'])
    await revive(world)
    for (let at = 60; at < 80; at += 1) await world.check(start + at * minute)
    expect(world.news()).toEqual(['open dead outage_started', 'closed dead outage_started'])
    expect(world.sent[1]).toMatchObject({ closedAt: new Date(start + 75 * minute).toISOString() })
  })

  it('close when their rule is switched off', async () => {
    await using world = await openAlertWorld(database(), 'switched_off')
    await openDead(world)
    await world.check(start)
    const sent: Alert[] = []
    const check = world.alertsTo({ rules: { dead: false }, notify: (alert) => sent.push(alert) })
    for (const at of [1, 16, 17, 120]) await check(start + at * minute)
    expect(sent).toMatchObject([{ state: 'closed', rule: 'dead' }])
  })

  it('retry a failed notification with backoff, without delaying others', async () => {
    await using world = await openAlertWorld(database(), 'failing')
    await openDead(world, 'unlucky')
    await openDead(world, 'lucky')
    const calls: string[] = []
    const errors: unknown[] = []
    let isDown = true
    const checkAt = world.alertsTo({
      notify: ({ subject, idempotencyKey }) => {
        calls.push(subject)
        if (isDown && subject === 'unlucky') throw new Error(`no answer to ${idempotencyKey}`)
      },
      onError: (error) => errors.push(error),
    })
    const check = (seconds: number) => checkAt(start + seconds * 1_000)
    for (const seconds of [0, 29]) await check(seconds)
    expect(calls.toSorted()).toEqual(['lucky', 'unlucky'])
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^no answer to failing\/\d+\/open$/) },
    ])
    for (const seconds of [30, 89, 90, 209]) await check(seconds)
    expect(calls.filter((subject) => subject === 'unlucky')).toHaveLength(3)
    isDown = false
    for (const seconds of [210, 3_600]) await check(seconds)
    expect(calls.filter((subject) => subject === 'unlucky')).toHaveLength(4)
    expect(calls.filter((subject) => subject === 'lucky')).toHaveLength(1)
  })

  it('retry a notification that keeps failing every hour', async () => {
    await using world = await openAlertWorld(database(), 'failing_long')
    await openDead(world)
    let calls = 0
    const notify = () => {
      calls += 1
      throw new Error('away')
    }
    const checkAt = world.alertsTo({ notify, onError: () => {} })
    const check = (seconds: number) => checkAt(start + seconds * 1_000)
    let seconds = 0
    await check(seconds)
    for (const backoff of [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600]) {
      const before = calls
      await check(seconds + backoff - 1)
      expect(calls).toBe(before)
      seconds += backoff
      await check(seconds)
      expect(calls).toBe(before + 1)
    }
  })

  it(
    'send the opening, then the closing, of an alert that closed before its first notification',
    embedded,
    async () => {
      await using world = await openAlertWorld(database(), 'late')
      await openDead(world)
      const fail = () => {
        throw new Error('away')
      }
      const check = world.alertsTo({ notify: fail, onError: () => {} })
      await check(start)
      await revive(world)
      await check(start + minute)
      await check(start + 20 * minute)
      for (const at of [90, 91, 180]) await world.check(start + at * minute)
      expect(world.sent).toMatchObject([
        { state: 'open', closedAt: null },
        { state: 'closed', closedAt: new Date(start + 20 * minute).toISOString() },
      ])
    },
  )

  it(
    'are sent by another process after the lease of a process that died while sending',
    embedded,
    async () => {
      await using world = await openAlertWorld(database(), 'leased')
      await openDead(world)
      await world.alertsTo({ notify: () => {} })(start)
      await world.query(
        `update feed_inbox.alert set opening_notified_at = null, notifying_until = $2 where source = $1`,
        new Date(start + 30_000),
      )
      await world.check(start + 29_000)
      expect(world.news()).toEqual([])
      await world.check(start + 30_000)
      expect(world.news()).toEqual(['open dead outage_started'])
    },
  )

  it('are not postponed by a process that fails after another one has sent them', async () => {
    const rules = { dead: { closeAfterMinutes: 0 } }
    await using world = await openAlertWorld(database(), 'overtaken', rules)
    await openDead(world)
    const sendLate = world.alertsTo({
      rules,
      notify: async () => {
        // As if its lease were over.
        await world.query('update feed_inbox.alert set notifying_until = null where source = $1')
        await world.check(start)
        throw new Error('away')
      },
      onError: () => {},
    })
    await sendLate(start)
    await revive(world)
    await world.check(start + 1_000)
    expect(world.news()).toEqual(['open dead outage_started', 'closed dead outage_started'])
  })

  it.each([
    ['begins', false, ['open paused all']],
    ['ends', true, ['open paused all', 'closed paused all']],
  ])(
    'are sent once if a condition %s between the reading and the writing of a slower process',
    embedded,
    async (what, isPausedBefore, news) => {
      await using world = await openAlertWorld(database(), `stale_${what}`)
      const pause = () =>
        world.query(
          `insert into feed_inbox.pause (source, type, reason, paused_at)
           values ($1, 'all', 'a test', $2)`,
          new Date(start - 30 * 60 * minute),
        )
      const changePause = () => (isPausedBefore ? world.inbox.resume({ types: ['all'] }) : pause())
      if (isPausedBefore) await pause()
      await world.check(start)
      let isSlow = true
      const query: Database['query'] = async (text, ...given) => {
        if (isSlow && text.startsWith('with timing')) {
          isSlow = false
          await changePause()
          await world.check(start + 2_000)
        }
        return await database().query(text, ...given)
      }
      const { source } = world.inbox
      await using slow = createInbox({ database: { ...database(), query }, source })
      const alerts = createAlerts({ inbox: slow, notify: (alert) => world.sent.push(alert) })
      await slow.start()
      await alerts.check({ asOf: new Date(start + 1_000) })
      await world.check(start + 3_000)
      expect(world.news()).toEqual(news)
    },
  )

  it('are checked from start to stop, and sent to several targets', embedded, async () => {
    await using world = await openAlertWorld(database(), 'started')
    const [one, other]: [Alert[], Alert[]] = [[], []]
    let failures = 1
    const errors: unknown[] = []
    const alerts = createAlerts({
      inbox: world.inbox,
      notify: [
        (alert) => one.push(alert),
        async (alert) => {
          failures -= 1
          if (failures === 0) throw new Error('away')
          other.push(alert)
        },
      ],
      intervalMs: 100,
      onError: (error) => errors.push(error),
    })
    await alerts.start()
    await alerts.start()
    await world.store({ id: 'dies', at: Date.now(), state: 'dead' })
    await expect.poll(() => errors).toMatchObject([{ message: 'away' }])
    // The error is reported before the retry is stored.
    const retryNow = () =>
      world.query(`update feed_inbox.alert set notifying_until = now()
        where source = $1 and notify_failures = 1`)
    await expect.poll(retryNow).toMatchObject({ rowCount: 1 })
    await expect.poll(() => other).toHaveLength(1)
    expect(one).toHaveLength(1)
    await alerts.stop()
    await alerts.stop()
    await world.store({ id: 'dies too', at: Date.now(), state: 'dead', type: 'other' })
    await alerts.check()
    expect(one).toHaveLength(2)
    expect(other).toHaveLength(2)
  })

  it('are deleted by the maintenance long after they closed', embedded, async () => {
    await using world = await openAlertWorld(database(), 'old')
    await world.query(
      `insert into feed_inbox.alert (source, rule, subject, message, noticed_at, opened_at, closed_at)
       select $1, 'dead', subject, '', now() - interval '100 days', now() - interval '100 days', closed
       from (values ('open', null), ('old', now() - interval '91 days'),
         ('recent', now() - interval '89 days')) alert (subject, closed)`,
    )
    await world.inbox.prune({ rowsAfterDays: 365 })
    expect(await world.alerts.list()).toMatchObject([{ subject: 'open' }, { subject: 'recent' }])
  })

  it('report a database failure and continue', async () => {
    const { inbox, alerts, errors } = createFailing(database(), 'stopped')
    await alerts.start()
    await expect.poll(() => errors.length).toBeGreaterThan(1)
    expect(errors).toContainEqual(expect.objectContaining({ code: 'not_running' }))
    await inbox.start()
    await alerts.check()
    await inbox.stop()
    // A reload that does not wait for the stop: the checks go on.
    const stopping = alerts.stop()
    await alerts.start()
    await stopping
    errors.length = 0
    await expect.poll(() => errors.length).toBeGreaterThan(1)
    await alerts.stop()
  })

  it('are not checked after a stop, even if a start before it waits for another stop', async () => {
    const { alerts, errors } = createFailing(database(), 'stopped-twice')
    const isStopped = async () => {
      errors.length = 0
      await delay(300)
      return errors.length === 0
    }
    await alerts.start()
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    await alerts.stop()
    expect(await isStopped()).toBe(true)
    await alerts.start()
    const calls = [alerts.stop(), alerts.start(), alerts.stop()]
    await calls.at(-1)
    await Promise.all(calls)
    expect(await isStopped()).toBe(true)
  })
})

describe('a hanging notification', () => {
  const database = useDatabase('postgres', 'inbox')

  it('times out while others are sent', async () => {
    await using world = await openAlertWorld(database(), 'hanging')
    await openDead(world, 'hangs')
    await openDead(world, 'fine')
    const sent: string[] = []
    const errors: unknown[] = []
    let signal: AbortSignal | undefined
    const checking = world.alertsTo({
      notify: async ({ subject }, options) => {
        if (subject === 'hangs') {
          signal = options.signal
          await new Promise(() => {})
        }
        sent.push(subject)
      },
      onError: (error) => errors.push(error),
    })(start)
    await expect.poll(() => sent).toEqual(['fine'])
    await checking
    expect(errors).toMatchObject([
      { code: 'not_sent', message: expect.stringContaining('10000 ms') },
    ])
    expect(signal?.aborted).toBe(true)
  })

  it('reaches no other target twice if it succeeds too late', async () => {
    await using world = await openAlertWorld(database(), 'slow')
    await openDead(world)
    const sent: string[] = []
    const check = world.alertsTo({
      notify: [
        () => sent.push('fast'),
        async (_, { signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          await delay(10)
          sent.push('slow')
        },
      ],
      onError: () => {},
    })
    await check(start)
    await expect.poll(() => sent).toEqual(['fast', 'slow'])
    await check(start + minute)
    expect(sent).toEqual(['fast', 'slow'])
  })
})
