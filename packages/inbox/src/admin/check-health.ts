import type { BoundedCount } from '../entry/sql.ts'
import { codeOf } from '../errors.ts'
import { withTimeout } from '../timeout.ts'
import { listStreams, type StreamRow } from '../pull/streams.ts'
import { findFailing, type WatchedContext } from './find-failing.ts'
import { findPausing } from './find-pause.ts'
import { findSuspended } from './find-suspended.ts'
import { countGaps, type GapCounts } from './gaps.ts'
import { databaseProblem, problemIf, problemTable, type HealthProblem } from './health-problems.ts'
import { countQuarantined, lookAtEntries } from './look-at-entries.ts'
import { lookAtJobs, touchJobs } from './look-at-jobs.ts'
import { describePause, listPauses, type PauseRow } from './pauses.ts'
import { createParts } from './read-parts.ts'
import { listRefusals, type RefusalRow } from './refusals.ts'

/** The health of an inbox. A value that could not be read is null. */
export interface InboxHealth {
  /** True if `problems` is empty. */
  ok: boolean
  /** The problems and how to fix them, for people to read. The codes are for programs. */
  problems: HealthProblem[]
  /**
   * Conditions that may need a person, such as rejected deliveries or a long pause. They leave `ok`
   * unchanged: a stranger with forged deliveries must not make a health route take the app down.
   */
  warnings: HealthProblem[]
  database: 'up' | 'down'
  /** The code of the error if the database or the queue is down, or the pool is exhausted. */
  error: string | null
  queue: 'up' | 'down'
  backlog: Backlog | null
  /** Dead entries, counted up to 1,000. */
  dead: BoundedCount | null
  /** Open rows in quarantine, counted up to 1,000. */
  quarantined: BoundedCount | null
  /** Events that push missed, and whether the destination is probably paused. */
  gaps: GapCounts | null
  /** The pauses in force: since when, by whom and why. */
  pauses: PauseRow[] | null
  /** The rejections of the last hour, those that pause the feed first. */
  refusals: RefusalRow[] | null
  /** How far each stream of the pull API has been read; empty if no poller runs. */
  streams: Omit<StreamRow, 'cursor'>[] | null
}

export interface Backlog {
  /** Entries that wait for a first or for another attempt, counted up to 1,000. */
  waiting: BoundedCount
  /** Of these, jobs that are due and paused. */
  paused: BoundedCount
  /** Of these, jobs that are due later, mostly because they failed and wait for a retry. */
  later: BoundedCount
  /** Jobs in progress, counted up to 1,000. */
  running: BoundedCount
  /**
   * The age of the oldest pending entry; null if none is pending. Replays are old and not counted.
   * The search stops after 10,000 of them.
   */
  oldestAgeSeconds: number | null
}

const timeoutMs = 4_000
const secondTryMs = 700

export interface HealthOptions {
  /**
   * Also stores an event in a transaction that is rolled back, even if no delivery has failed. For
   * a process that receives none, such as a command.
   * @default false
   */
  tryStore?: boolean | undefined
}

/** Checks the database and the queue. Never rejects, and answers within five seconds. */
export async function checkHealth(
  whenRunning: () => Promise<WatchedContext>,
  { tryStore = false }: HealthOptions = {},
): Promise<InboxHealth> {
  try {
    // On a hanging server a statement waits longer than a health check may take.
    const looking = whenRunning().then((context) =>
      context.database.outside(() => lookInside(context, tryStore)),
    )
    return await withTimeout(looking, timeoutMs, noAnswer)
  } catch (error) {
    const code = codeOf(error) ?? 'unknown'
    const nothing = { backlog: null, dead: null, quarantined: null, gaps: null, streams: null }
    const isSilent = code === 'timeout' || code === 'unavailable'
    const isExhausted = isSilent && (await whenRunning().then(isPoolExhausted, () => false))
    const state = isExhausted ? 'up' : 'down'
    const problems = isExhausted ? problemIf(true, 'pool_exhausted') : databaseProblem(error, code)
    const down = { ok: false, database: state, error: code, queue: state, problems } as const
    return { ...down, ...nothing, warnings: [], pauses: null, refusals: null }
  }
}

/** Whether only the pool of the handlers does not answer, while deliveries are stored. */
async function isPoolExhausted(context: WatchedContext): Promise<boolean> {
  const answers = (statement: Promise<unknown>) =>
    withTimeout(statement, secondTryMs, noAnswer).then(
      () => true,
      () => false,
    )
  const [isMain, isUrgent] = await context.database.outside(() =>
    Promise.all([answers(context.database.query('select')), answers(touchJobs(context))]),
  )
  return isUrgent && !isMain
}

async function lookInside(context: WatchedContext, isTried: boolean): Promise<InboxHealth> {
  const parts = createParts(context)
  const entries = await parts.read('entries', async (ofInbox) => ({
    ...(await lookAtEntries(ofInbox)),
    gaps: await countGaps(ofInbox),
  }))
  const quarantined = await parts.read('quarantine', countQuarantined)
  const pulled = await parts.read('streams of the poller', async (ofInbox) => ({
    streams: await listStreams(ofInbox),
    suspended: await findSuspended(ofInbox),
  }))
  const pauses = await parts.read('pauses', listPauses)
  const rejected = await parts.read('rejections', async (ofInbox) => ({
    refusals: await listRefusals(ofInbox, { hours: 1 }),
    // Like the counts of jobs, this also reads the entries.
    pausing: entries && (await findPausing(ofInbox, entries.gaps.probablePause)),
  }))
  const jobs = await parts.read<Jobs | undefined>('queue', (ofInbox) =>
    entries ? lookAtJobs(ofInbox, pauses ?? []) : touchJobs(ofInbox),
  )

  const isTriedNow = isTried || entries?.isReadOnly === true
  const found = [
    ...problemIf(Boolean(rejected?.pausing), 'deliveries_rejected', { ...rejected?.pausing }),
    ...(pauses ?? []).flatMap(pausedLong),
    ...(entries?.clock ?? []),
    ...(await findFailing(context, rejected?.refusals ?? [], isTriedNow)),
    ...(pulled?.suspended ?? []),
    ...problemIf(jobs?.isIgnored === true, 'nothing_claimed'),
    ...(jobs ? slowHandlers(jobs) : []),
    ...problemIf((jobs?.abandoned ?? 0) > 0, 'claims_abandoned', jobs ?? {}),
    ...parts.unread,
  ]
  const problems = found.filter(({ code }) => problemTable[code].severity === 'problem')
  const warnings = found.filter(({ code }) => problemTable[code].severity === 'warning')
  return {
    ok: problems.length === 0,
    problems,
    warnings,
    database: 'up',
    error: parts.error(),
    queue: jobs === null ? 'down' : 'up',
    backlog: jobs ? backlogOf(jobs, entries?.oldestAgeSeconds ?? null) : null,
    dead: entries && entries.dead,
    quarantined,
    gaps: entries && entries.gaps,
    pauses,
    refusals: rejected && rejected.refusals,
    streams: pulled && pulled.streams.map(({ cursor: _cursor, ...stream }) => stream),
  }
}

type Jobs = Awaited<ReturnType<typeof lookAtJobs>>

function slowHandlers({ slow, isHung }: Jobs): HealthProblem[] {
  const named = slow.map(({ type, eventId, since }) => `${type} (event ${eventId}, since ${since})`)
  const code = isHung ? 'handlers_hung' : 'handlers_slow'
  return problemIf(slow.length > 0, code, { named: named.join(', ') })
}

function backlogOf({ waiting, paused, later, running }: Jobs, oldestAgeSeconds: number | null) {
  return { waiting, paused, later, running, oldestAgeSeconds }
}

function noAnswer(): Error {
  return Object.assign(new Error('No answer in time.'), { code: 'timeout' })
}

const longPauseMs = 86_400_000

function pausedLong(pause: PauseRow): HealthProblem[] {
  const isLong = Date.now() - Date.parse(pause.since) > longPauseMs
  const how = pause.type === null ? '' : ` --type '${pause.type}'`
  return problemIf(isLong, 'paused_long', { ...describePause(pause), how })
}
