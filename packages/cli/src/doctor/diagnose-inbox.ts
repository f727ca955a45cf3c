import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@feed-receiver/database'
import { findDatabaseWarnings, fixOfUnlisted, quoteWord } from '@feed-receiver/inbox/internal'
import {
  type EntryDetails,
  type HealthProblem,
  type HealthProblemCode,
  type Inbox,
  type InboxHealth,
  type PauseRow,
  type RejectionRow,
} from '@feed-receiver/inbox'
import type { AlertRow } from '@feed-receiver/operate/alerts'
import type { OpenShards } from '../options/inbox-options.ts'
import { listOpenAlerts, matchAlerts, ofAnswering } from '../read-alerts.ts'
import type { AlertReader, ShownProblem } from '../read-alerts.ts'
import { describeError } from '../output/describe-error.ts'
import { describeCount } from '../output/words.ts'
import type { Probe } from './diagnose-receiver.ts'
import { failed, diagnoseSkew, ok, skipped, warning, type Finding } from './finding.ts'

interface InboxToDiagnose extends OpenShards {
  alerts: readonly AlertRow[]
  /** The test delivery that the receiver has just stored, if one was sent. */
  probe: Probe | undefined
  signal: AbortSignal
}

export async function* diagnoseInbox(open: InboxToDiagnose): AsyncGenerator<Finding> {
  const { inbox, database, probe } = open
  yield ok('database', `The database answers (${database.kind}), and its tables are up to date.`)
  for (const message of await findDatabaseWarnings(database)) yield warning('server', message)
  yield await diagnoseDatabaseClock(database)
  const health = await inbox.health({ tryStore: true })
  const { dead, quarantined, backlog } = health
  const pauses = health.pauses ?? []
  const { since, others } = matchAlerts(shownProblems(health), open.alerts)
  const work = diagnoseWork(health, since)
  yield* work
  yield* diagnoseLeft('dead entries', dead, since({ code: 'dead' }), 'errors')
  yield* diagnoseLeft('quarantine', quarantined, since({ code: 'quarantine' }), 'quarantine list')
  for (const pause of pauses) {
    const isOfPause = ({ subject }: AlertRow) => subject === (pause.type ?? '')
    yield warnOfPause(pause, since({ code: 'paused_long' }, isOfPause))
  }
  for (const alert of others) {
    yield warning('alerts', `Open since ${alert.openedAt}: ${alert.message}`, fixOfUnlisted(alert))
  }
  const waitsForResume = pauses.some(({ type }) => type === null || type === 'destination_test')
  if (waitsForResume) {
    yield skipped(
      'worker',
      'No worker handles stored entries during this pause.',
      'Run doctor again after the resume.',
    )
  } else if (probe) yield await diagnoseWorker(open, probe)
  else if (backlog && !work.some(({ check }) => check === 'worker')) {
    yield ok('worker', 'No entry waits for a worker.')
  }
}

/**
 * Checks whether the response to an earlier delivery has probably paused the feed, and reads the
 * open alerts. `alerts` are those that the findings do not mention.
 */
export async function diagnoseRejections(
  { inbox, shards }: OpenShards,
  reader: AlertReader,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; alerts: AlertRow[] }> {
  const { database, warnings, rejections } = await inbox.health()
  // `diagnoseInbox` reports it.
  if (database === 'down') return { findings: [], alerts: [] }
  const unread: Finding[] = []
  const orElse = <Part>(check: string, part: Promise<Part>, empty: Part) =>
    part.catch((error: unknown) => {
      unread.push(warnOfUnread(check, error, signal))
      return empty
    })
  const alerts = await orElse('alerts', listOpenAlerts(shards, reader), [])
  const rejected = warnings.find(({ code }) => code === 'deliveries_rejected')
  if (rejected) {
    const { since, others } = matchAlerts([rejected], alerts)
    const says = rejected.message + since(rejected)
    return { findings: [failed('rejections', says, listRejections), ...unread], alerts: others }
  }
  const pausing = (rejections ?? []).filter(({ sender }) => sender === 'pause')
  const acceptedAt = await orElse('activity', lastAccepted(shards), '')
  const last = pausing.filter(({ lastAt }) => lastAt > acceptedAt)
  return { findings: [warnOfPausing(last), ...unread], alerts }
}

export function warnOfUnread(check: string, error: unknown, signal: AbortSignal): Finding {
  const { message } = describeError(error, signal)
  return warning(check, `Could not be read. ${message}`, 'Correct this, and run doctor again.')
}

/** When the last delivery was accepted; '' if none is known. */
async function lastAccepted(shards: readonly Inbox[]): Promise<string> {
  const activities = await ofAnswering(shards.map((shard) => shard.activity({ hours: 1 })))
  const times = activities.map(({ lastDeliveryAt }) => lastDeliveryAt ?? '')
  return times.toSorted().at(-1) ?? ''
}

/** Rejections that have paused the feed if the service sent them, which nothing shows yet. */
function warnOfPausing(rejections: readonly RejectionRow[]): Finding {
  if (rejections.length === 0)
    return ok('rejections', 'No answer of the last hour paused the feed.')
  const counts = rejections.map(({ reason, status, count }) => `${reason} (${status}): ${count}`)
  return warning(
    'rejections',
    `Rejected since the last accepted delivery: ${counts.join(', ')}. If the service sent them, it has paused the feed. Strangers send such requests, too.`,
    listRejections,
  )
}

const listRejections = 'See: feed-receiver inbox rejections'

async function diagnoseDatabaseClock(database: Database): Promise<Finding> {
  const sentMs = Date.now()
  const { rows } = await database.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  return diagnoseSkew('database clock', rows[0]?.ms ?? 0, { sentMs, receivedMs: Date.now() })
}

/**
 * The checks of doctor that show problems of the health; others have a check of the same name. Null
 * for those that it shows in another way: it compares the clocks itself, lists rejections and pauses
 * in full, and counts everything that is dead or in quarantine.
 */
const checkNames: Partial<Record<HealthProblemCode, string | null>> = {
  store_failed: 'storing',
  store_failing: 'storing',
  disk_full: 'storing',
  queue_down: 'queue',
  claims_abandoned: 'queue',
  nothing_claimed: 'worker',
  handlers_hung: 'worker',
  clock_skew: null,
  dead: null,
  quarantine: null,
  deliveries_rejected: null,
  paused_long: null,
}

/** The problems that have a line. */
function shownProblems(health: InboxHealth): ShownProblem[] {
  const { problems, warnings, dead, quarantined, pauses } = health
  return [
    ...problems,
    ...warnings,
    ...(dead?.count ? [{ code: 'dead' }] : []),
    ...(quarantined?.count ? [{ code: 'quarantine' }] : []),
    ...(pauses?.length ? [{ code: 'paused_long' }] : []),
  ]
}

/** The problems of the health, or that what they are about works. */
function diagnoseWork(
  { problems, warnings, database, backlog }: InboxHealth,
  since: (problem: ShownProblem) => string,
): Finding[] {
  const isShown = ({ code }: HealthProblem) => checkNames[code] !== null
  const checkOf = (code: HealthProblemCode) => checkNames[code] ?? code.replaceAll('_', ' ')
  const show = (find: typeof failed) => (one: HealthProblem) =>
    find(checkOf(one.code), one.message + since(one))
  const found = [
    ...problems.filter(isShown).map(show(failed)),
    ...warnings.filter(isShown).map(show(warning)),
  ]
  const isFound = (name: string) => found.some(({ check }) => check === name)
  const { waiting, running } = backlog ?? {}
  if (database === 'up' && !isFound('storing')) {
    found.push(ok('storing', 'An event can be stored and queued (tried and rolled back).'))
  }
  if (waiting && running && !isFound('queue')) {
    const counts = `${describeCount(waiting)} pending, ${describeCount(running)} in progress.`
    found.push(ok('queue', counts))
  }
  return found
}

function diagnoseLeft(
  check: string,
  count: InboxHealth['dead'],
  notified: string,
  verb: string,
): Finding[] {
  // Could not be read, which a problem or warning of the health says.
  if (!count) return []
  if (count.count === 0) return [ok(check, 'None.')]
  return [
    warning(check, `${describeCount(count)} found.${notified}`, `See: feed-receiver inbox ${verb}`),
  ]
}

function warnOfPause({ type, since, by, reason }: PauseRow, notified: string): Finding {
  const whose = by === null ? '' : ` by ${by}`
  const option = type === null ? '' : ` --type ${quoteWord(type)}`
  return warning(
    'pauses',
    `${type ?? 'The whole inbox'} is paused since ${since}${whose}: ${reason}.${notified}`,
    `When the reason no longer applies, run: feed-receiver inbox resume${option}`,
  )
}

/** A quiet worker that misses the notification polls after 10 s. */
const workerLimitMs = 15_000

/** A running worker completes the test delivery, which reaches no handler. */
async function diagnoseWorker(
  { shards, signal }: InboxToDiagnose,
  { eventId, body }: Probe,
): Promise<Finding> {
  for (const startedAt = performance.now(); ;) {
    const entry = await findInShards(shards, eventId)
    if (!entry) return otherDatabase
    const bytes = Buffer.from(entry.bodyBase64 ?? '', 'base64')
    if (!bytes.equals(body)) return otherBytes
    if (entry.state !== 'received') return ok('worker', 'A worker handled the test delivery.')
    if (signal.aborted || performance.now() - startedAt > workerLimitMs) break
    await delay(100)
  }
  return failed(
    'worker',
    `No worker handled the test delivery within ${workerLimitMs / 1000} s.`,
    'Start a worker (await inbox.work(handlers)), or check why it is busy.',
  )
}

const otherDatabase = failed(
  'worker',
  'The test delivery is not in this database, so the app uses another one.',
  'Use the same --database, --source and --schema as the app.',
)
const otherBytes = failed(
  'worker',
  'The stored body of the test delivery differs from the sent one.',
  'Mount the receiver before any body parser.',
)

async function findInShards(
  shards: readonly Inbox[],
  eventId: string,
): Promise<EntryDetails | null> {
  const found = await ofAnswering(shards.map(({ entries }) => entries.get(eventId)))
  return found.find((entry) => entry !== null) ?? null
}
