import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@feed-receiver/database'
import {
  findDatabaseWarnings,
  type EntryDetails,
  type HealthProblem,
  type HealthProblemCode,
  type Inbox,
  type InboxHealth,
  type PauseRow,
} from '@feed-receiver/inbox'
import type { AlertRow } from '@feed-receiver/operate/alerts'
import type { OpenShards } from '../options/inbox-options.ts'
import type { AlertReader } from '../read-alerts.ts'
import { describeCount } from '../output/format-count.ts'
import type { Probe } from './check-receiver.ts'
import { failed, checkSkew, ok, skipped, warning, type Finding } from './finding.ts'

interface InboxUnderCheck extends OpenShards {
  alerts: Pick<AlertReader, 'of'>
  /** The test delivery that the receiver has just stored, if one was sent. */
  probe: Probe | undefined
  signal: AbortSignal
}

/** Checks an open inbox: clock, queue, backlog, dead entries, and whether a worker runs. */
export async function* checkInbox(checked: InboxUnderCheck): AsyncGenerator<Finding> {
  const { inbox, database, probe } = checked
  yield ok('database', `The database answers (${database.kind}), and its tables are up to date.`)
  for (const message of await findDatabaseWarnings(database)) yield warning('server', message)
  yield await checkClock(database)
  const health = await inbox.health({ tryStore: true })
  const work = checkWork(health)
  yield* work
  yield* checkLeft('dead entries', health.dead, 'feed-receiver inbox list --state dead')
  yield* checkLeft('quarantine', health.quarantined, 'feed-receiver inbox quarantine list')
  yield* checkAlerts(await listOpenAlerts(checked.shards, checked.alerts))
  const pauses = health.pauses ?? []
  for (const pause of pauses) yield warnOfPause(pause)
  const waitsForResume = pauses.some(({ type }) => type === null || type === 'destination_test')
  if (waitsForResume) {
    yield skipped(
      'worker',
      'No worker handles stored entries during this pause.',
      'Run doctor again after the resume.',
    )
  } else if (probe) yield await checkWorker(checked, probe)
  else if (health.backlog && !work.some(({ check }) => check === 'worker')) {
    yield ok('worker', 'No entry waits for a worker.')
  }
}

/** Checks whether the response to an earlier delivery has probably paused the feed. */
export async function checkRejections({ inbox }: OpenShards): Promise<Finding> {
  const { warnings } = await inbox.health()
  const rejected = warnings.find(({ code }) => code === 'deliveries_rejected')
  if (!rejected) return ok('rejections', 'No answer of the last hour paused the feed.')
  return failed('rejections', rejected.message, 'See: feed-receiver inbox rejections')
}

async function checkClock(database: Database): Promise<Finding> {
  const sentMs = Date.now()
  const { rows } = await database.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  return checkSkew('database clock', rows[0]?.ms ?? 0, { sentMs, receivedMs: Date.now() })
}

/** The checks of doctor that show problems of the health; others have a check of the same name. */
const checkNames: Partial<Record<HealthProblemCode, string>> = {
  store_failed: 'storing',
  store_failing: 'storing',
  disk_full: 'storing',
  queue_down: 'queue',
  claims_abandoned: 'queue',
  nothing_claimed: 'worker',
  handlers_hung: 'worker',
}
/**
 * Doctor compares the clocks itself, lists rejections and pauses in full, and counts everything that
 * is dead or in quarantine.
 */
const shownElsewhere: readonly HealthProblemCode[] = [
  'clock_skew',
  'dead',
  'quarantine',
  'deliveries_rejected',
  'paused_long',
]

/** The problems of the health, or that what they are about works. */
function checkWork({ problems, warnings, database, backlog }: InboxHealth): Finding[] {
  const isShown = ({ code }: HealthProblem) => !shownElsewhere.includes(code)
  const checkOf = ({ code }: HealthProblem) => checkNames[code] ?? code.replaceAll('_', ' ')
  const found = [
    ...problems.filter(isShown).map((one) => failed(checkOf(one), one.message)),
    ...warnings.filter(isShown).map((one) => warning(checkOf(one), one.message)),
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

function checkLeft(check: string, count: InboxHealth['dead'], list: string): Finding[] {
  // Could not be read, which a problem or warning of the health says.
  if (!count) return []
  if (count.count === 0) return [ok(check, 'None.')]
  return [warning(check, `${describeCount(count)} found.`, `See: ${list}`)]
}

function checkAlerts(alerts: readonly AlertRow[]): Finding[] {
  if (alerts.length === 0) return [ok('alerts', 'None.')]
  return alerts.map(({ openedAt, message, fix }) =>
    warning('alerts', `Open since ${openedAt}: ${message}`, fix),
  )
}

function warnOfPause({ type, since, by, reason }: PauseRow): Finding {
  const whose = by === null ? '' : ` by ${by}`
  const option = type === null ? '' : ` --type ${type}`
  return warning(
    'pauses',
    `${type ?? 'The whole inbox'} is paused since ${since}${whose}: ${reason}.`,
    `When the reason no longer applies, run: feed-receiver inbox resume${option}`,
  )
}

/** A quiet worker that misses the notification polls after 10 s. */
const workerLimitMs = 15_000

/** A running worker completes the test delivery, which reaches no handler. */
async function checkWorker(
  { shards, signal }: InboxUnderCheck,
  { eventId, body }: Probe,
): Promise<Finding> {
  for (const startedAt = performance.now(); ;) {
    const entry = await findEntry(shards, eventId)
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

async function findEntry(shards: readonly Inbox[], eventId: string): Promise<EntryDetails | null> {
  const found = await ofAnswering(shards.map(({ entries }) => entries.get(eventId)))
  return found.find((entry) => entry !== null) ?? null
}

/** The open alerts of all shards that have tables for them. */
export async function listOpenAlerts(
  shards: readonly Inbox[],
  alerts: Pick<AlertReader, 'of'>,
): Promise<AlertRow[]> {
  const open = shards.flatMap((shard) => alerts.of(shard)?.list({ state: 'open' }) ?? [])
  return (await ofAnswering(open)).flat()
}

/** The answers of the shards that answer, of which there must be one. */
async function ofAnswering<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
  const answers = await Promise.allSettled(asked)
  const [error] = answers.filter((answer) => answer.status === 'rejected')
  const given = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (error && given.length === 0) throw error.reason
  return given
}
