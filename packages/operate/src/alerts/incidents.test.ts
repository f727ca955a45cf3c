import { expect, it } from 'vitest'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { seededRandom } from '../../../../test/chaos/faults/random.ts'
import { day, hour, minute, openAlertWorld, type AlertWorld } from '../../test/alert-world.ts'
import { alertRules, type AlertRuleName, type AlertRuleOptions } from './index.ts'

const monday = Date.parse('2026-11-02T00:00:00Z')

interface Incident {
  /** The subject of the alert, if a rule can have several. */
  subject?: string
  rules?: AlertRuleOptions
  /** Begins at hour 2. The returned function ends it at hour 8. */
  happen(world: AlertWorld, at: number): Promise<(at: number) => Promise<void>>
  /** No delivery arrives during the incident. */
  isSilent?: boolean
  signedBy?: string
  /** How many hours to observe. */
  hours?: number
  /** How many days of earlier deliveries there are. */
  daysBefore?: number
}

const nothing = async () => {}

const incidents: Record<Exclude<AlertRuleName, 'problem'>, Incident> = {
  dead: {
    subject: 'outage_started',
    async happen(world, at) {
      await world.store(
        ...[1, 2, 3].map((n) => {
          return { id: `dead-${n}`, at, type: 'outage_started', state: 'dead' as const }
        }),
      )
      return async (later) => {
        const ids = ['dead-1', 'dead-2', 'dead-3']
        await world.change(...ids.map((id) => ({ id, state: 'done', at: later })))
      }
    },
  },
  oldest_pending: {
    async happen(world, at) {
      await world.store({ id: 'waits', at, state: 'received' })
      return (later) => world.change({ id: 'waits', state: 'done', at: later })
    },
  },
  failure_rate: {
    subject: 'model_removed',
    async happen(world, at) {
      const random = seededRandom(4)
      const failing = Array.from({ length: 900 }, (_, n) => {
        const failedAt = at + random.below(6 * hour)
        return { id: `fails-${n}`, type: 'model_removed', at: failedAt, retryAt: at + 9 * hour }
      })
      await world.store(
        ...failing.map(({ id, type }) => ({ id, type, at, state: 'received' as const })),
      )
      await world.fail(...failing)
      return async (later) => {
        await world.endJobs(...failing.map(({ id }) => id))
        await world.change(...failing.map(({ id }) => ({ id, state: 'done', at: later })))
      }
    },
  },
  quarantine: {
    async happen(world, at) {
      await world.query(
        `insert into feed_inbox.quarantine (source, reason, body, sha256, signed_by, signed_at,
           first_seen_at, last_seen_at) values ($1, 'not_json', '{', 'hash', 'first', $2, $2, $2)`,
        new Date(at),
      )
      return async () => {
        const { quarantined } = await world.inbox.quarantined.list({ state: 'open' })
        for (const { id } of quarantined) await world.inbox.quarantined.discard(id)
      }
    },
  },
  missed: {
    async happen(world, at) {
      await world.store({ id: 'missed', at, pushes: [], pulledAt: at })
      return nothing
    },
    hours: 36,
  },
  silence: {
    rules: { silence: { hours: 3 } },
    happen: async () => nothing,
    isSilent: true,
  },
  probable_pause: {
    async happen(world, at) {
      await world.store(
        ...[0, 1, 2, 3].map((n) => {
          const pulledAt = at + n * hour
          return { id: `unpushed-${n}`, at: pulledAt, pushes: [], pulledAt }
        }),
      )
      return nothing
    },
    isSilent: true,
    hours: 36,
  },
  unknown_secret: {
    async happen(world, at) {
      await world.reject('signature_mismatch', at)
      return nothing
    },
    isSilent: true,
  },
  old_secret: {
    subject: 'first',
    async happen(world, at) {
      await world.store({ id: 'by-new', at: at - 26 * hour, signedBy: 'second' })
      return nothing
    },
    signedBy: 'second',
    hours: 40,
  },
  stream_gap: {
    subject: 'default https://feed.example/v1/events',
    async happen(world, at) {
      await world.query(
        `insert into feed_inbox.stream_gap (source, stream, since, until, code)
         values ($1, $2, $3, $3, 'cursor_expired')`,
        'default https://feed.example/v1/events',
        new Date(at),
      )
      return nothing
    },
    hours: 36,
  },
  paused: {
    subject: 'constructor',
    async happen(world, at) {
      await world.query(
        `insert into feed_inbox.pause (source, type, reason, paused_at)
         values ($1, 'constructor', 'a test', $2)`,
        new Date(at - 20 * hour),
      )
      return async () => {
        await world.inbox.resume({ types: ['constructor'] })
      }
    },
  },
}

describeOnEach('an incident on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  // The embedded database runs statements more slowly.
  const step = (kind === 'postgres' ? 40 : 120) * minute

  // Problems of the health are those of this moment, and have tests of their own.
  const names = alertRules.map(({ name }) => name).filter((name) => name !== 'problem')

  it.each(names)('opens and closes %s once, and no other alert', embedded, async (name) => {
    const { subject = '', ...incident } = incidents[name]
    await using world = await openAlertWorld(database(), name, incident.rules)
    await live(world, incident, step)
    expect(world.news()).toEqual([
      `open ${name} ${subject}`.trim(),
      `closed ${name} ${subject}`.trim(),
    ])
    const [opening, closing] = world.sent
    expect(opening).toMatchObject({
      closedAt: null,
      message: expect.not.stringMatching(/[{}]|NaN|undef/),
    })
    expect(opening?.fix).not.toBe('')
    expect(closing?.id).toBe(opening?.id)
    expect(await world.alerts.list()).toMatchObject([{ id: opening?.id, rule: name }])
  })

  const rejections = [
    { reason: 'signature_missing', rule: 'probable_pause' },
    { reason: 'signature_mismatch', rule: 'unknown_secret' },
  ]

  it.each(rejections)(
    'opens $rule for $reason without a poller, after an unusually long silence',
    async ({ reason, rule }) => {
      await using world = await openAlertWorld(database(), `really_${reason}`)
      const incident: Incident = {
        daysBefore: 10,
        isSilent: true,
        async happen(_, at) {
          await world.reject(reason, at)
          return nothing
        },
      }
      await live(world, incident, step)
      expect(world.news()).toEqual([`open ${rule}`, `closed ${rule}`])
    },
  )

  it.each(rejections)(
    'opens no alert for $reason at a time that is often quiet',
    async ({ reason }) => {
      await using world = await openAlertWorld(database(), `strangers_${reason}`)
      const weekend = monday - 2 * day
      await world.store(
        ...Array.from({ length: 14 * 24 }, (_, n) => ({
          id: `before-${n}`,
          at: monday - n * hour,
        })).filter(({ at }) => (at < weekend && at > weekend - 5 * day) || at < weekend - 7 * day),
      )
      for (let at = weekend; at < monday; at += hour) {
        await world.reject(reason, at)
        await world.check(at)
      }
      expect(world.news()).toEqual([])
    },
  )
})

/** A delivery and a check at each step, with an incident from hour 2 to hour 8. */
async function live(
  world: AlertWorld,
  incident: Omit<Incident, 'subject' | 'rules'>,
  step: number,
): Promise<void> {
  const { happen, isSilent = false, signedBy = 'first', hours = 14, daysBefore = 2 } = incident
  await world.store(
    ...Array.from({ length: daysBefore * 24 }, (_, n) => {
      return { id: `before-${n}`, at: monday - (n + 1) * hour }
    }),
  )
  let end = nothing as (at: number) => Promise<void>
  for (let at = monday; at < monday + hours * hour; at += step) {
    const since = at - monday
    if (since === 2 * hour) end = await happen(world, at)
    if (since === 8 * hour) await end(at)
    const isDuring = since >= 2 * hour && since < 8 * hour
    if (!(isDuring && isSilent)) {
      const by = since >= 8 * hour ? signedBy : 'first'
      await world.store({ id: `calm-${at}`, at, signedBy: by })
    }
    await world.check(at)
  }
}
