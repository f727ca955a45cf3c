import { countGaps, type GapCounts } from '../admin/gaps.ts'
import { listPauses, type PauseRow } from '../admin/pauses.ts'
import { listRejections, type RejectionRow } from '../admin/rejections.ts'
import type { InboxContext } from '../context.ts'
import { boundedCount, countSql, type BoundedCount } from '../entry/sql.ts'
import { codeOf } from '../errors.ts'
import type { FailureLog } from '../failure-log.ts'
import type { StreamRow } from '../pull/streams.ts'
import { explainFault, isOfTables } from '../sql-states.ts'
import { withTimeout } from '../timeout.ts'
import { readAlertInputs, readReadableInputs } from './alert-inputs.ts'
import { checkStreams } from './check-streams.ts'
import { hasFullDisk, mustTryStore } from './failing-steps.ts'
import { countJobs, touchJobs, type Backlog, type JobCounts } from './job-counts.ts'
import { findProblems, type HealthProblem } from './problems.ts'
import { limitsOf } from './stored-problems.ts'
import { tryStore } from '../accept/try-store.ts'

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
  rejections: RejectionRow[] | null
  /** How far each stream of the pull API has been read; empty if no poller runs. */
  streams: Omit<StreamRow, 'cursor'>[] | null
}

export interface HealthOptions {
  /**
   * Also stores an event in a transaction that is rolled back, even if no delivery has failed. For
   * a process that receives none, such as a command.
   * @default false
   */
  tryStore?: boolean | undefined
}

/** An inbox that remembers what failed in this process. */
export interface WatchedContext extends InboxContext {
  failures: FailureLog
}

const timeoutMs = 4_000
const secondTryMs = 700
/** A database that is slow is slow on every connection; a `select` waits longer only for the pool. */
const poolWaitMs = 50

/** Checks the database and the queue. Never rejects, and answers within five seconds. */
export async function checkHealth(
  whenRunning: () => Promise<WatchedContext>,
  { tryStore: isTried = false }: HealthOptions = {},
): Promise<InboxHealth> {
  try {
    // On a hanging server a statement waits longer than a health check may take.
    const reading = whenRunning().then((context) =>
      context.database.outside(() => readHealth(context, isTried)),
    )
    return await withTimeout(reading, timeoutMs, noAnswer)
  } catch (error) {
    return await describeDown(error, whenRunning)
  }
}

async function describeDown(
  error: unknown,
  whenRunning: () => Promise<WatchedContext>,
): Promise<InboxHealth> {
  const code = codeOf(error) ?? 'unknown'
  const isSilent = code === 'timeout' || code === 'unavailable'
  const isPoolExhausted = isSilent && (await whenRunning().then(isPoolBusy, () => false))
  const state = isPoolExhausted ? 'up' : 'down'
  const explain = () => ({ reason: '', fix: '' })
  const found = findProblems({ explain, down: { code, error, isPoolExhausted } })
  return { ok: false, ...found, database: state, error: code, queue: state, ...nothingRead }
}

const nothingRead = {
  backlog: null,
  dead: null,
  quarantined: null,
  gaps: null,
  pauses: null,
  rejections: null,
  streams: null,
}

/** Whether only the pool of the handlers answers late or never, while deliveries are stored. */
async function isPoolBusy(context: WatchedContext): Promise<boolean> {
  const sentAt = performance.now()
  const answerMs = (statement: Promise<unknown>) =>
    withTimeout(statement, secondTryMs, noAnswer).then(
      () => performance.now() - sentAt,
      () => Infinity,
    )
  const [main, urgent] = await context.database.outside(() =>
    Promise.all([answerMs(context.database.query('select')), answerMs(touchJobs(context))]),
  )
  return urgent < Infinity && main > urgent + poolWaitMs
}

async function readHealth(context: WatchedContext, isTried: boolean): Promise<InboxHealth> {
  const { failures } = context
  const unread: { part: string; error: unknown }[] = []
  // A table that cannot be read hides only what it says.
  const read = async <Part>(part: string, readPart: (from: InboxContext) => Promise<Part>) => {
    try {
      return await readPart(context)
    } catch (error) {
      if (!isOfTables(error)) throw error
      unread.push({ part, error })
      return null
    }
  }
  const entries = await read('entries', async (ofInbox) => ({
    ...(await readEntryCounts(ofInbox)),
    gaps: await countGaps(ofInbox),
  }))
  const quarantined = await read('quarantine', countQuarantined)
  const streams = await read('streams of the poller', checkStreams)
  const pauses = await read('pauses', listPauses)
  const rejections = await read('rejections', (ofInbox) => listRejections(ofInbox, { hours: 1 }))
  const jobs = await read<JobCounts | undefined>('queue', (ofInbox) =>
    entries ? countJobs(ofInbox, pauses ?? []) : touchJobs(ofInbox),
  )
  const readAll = (ofInbox: InboxContext) => readAlertInputs(ofInbox, limitsOf())
  const all = unread.length === 0 ? await read('problems', readAll) : null
  // Of the tables that cannot be read, one problem or warning is listed already.
  const stored = all ?? (await readReadableInputs(context, limitsOf()))
  const looksBad =
    entries?.isReadOnly === true || mustTryStore({ failures, rejections: rejections ?? [] })
  const mustTry = (isTried || looksBad) && !hasFullDisk(failures)
  const found = findProblems({
    explain: (error) => explainFault(error, context),
    failures,
    rejections: rejections ?? [],
    unread,
    ...(mustTry && { trial: await tryStore(context) }),
    ...(entries && { clock: entries.clock }),
    ...(streams && { streams }),
    stored,
    ...(jobs && { jobs }),
  })
  const mainFault = unread.find(({ part }) => part === 'entries' || part === 'queue')
  return {
    ok: found.problems.length === 0,
    ...found,
    database: 'up',
    error: mainFault ? (codeOf(mainFault.error) ?? null) : null,
    queue: jobs === null ? 'down' : 'up',
    backlog: jobs ? { ...jobs.counts, oldestAgeSeconds: entries?.oldestAgeSeconds ?? null } : null,
    dead: entries && entries.dead,
    quarantined,
    gaps: entries && entries.gaps,
    pauses,
    rejections,
    streams: streams && streams.map(({ row }) => row),
  }
}

/** How many received entries the search for the oldest one that is not reprocessed reads. */
const mostSearched = 10_000

async function readEntryCounts({ database, tables: { entry }, source }: InboxContext) {
  const sent = Date.now()
  const { rows } = await database.query<
    Record<'dead' | 'now', number> & { oldestAgeSeconds: number | null; isReadOnly: boolean }
  >(
    `select
       ${countSql(`select 1 from ${entry} where source = $1 and state = 'dead'`)} as dead,
       (select extract(epoch from now() - min(received_at))::float8 from (
          select received_at, is_reprocessed from ${entry}
          where source = $1 and state = 'received' order by received_at, id limit ${mostSearched}
        ) oldest where not is_reprocessed) as "oldestAgeSeconds",
       current_setting('transaction_read_only') = 'on' as "isReadOnly",
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    [source],
  )
  const { dead = 0, oldestAgeSeconds = null, now = sent, isReadOnly = false } = rows[0] ?? {}
  return {
    // Read between two readings of ours.
    clock: { ahead: sent - now, behind: now - Date.now() },
    dead: boundedCount(dead),
    isReadOnly,
    // Our clock may be ahead of the server's.
    oldestAgeSeconds: oldestAgeSeconds === null ? null : Math.max(0, oldestAgeSeconds),
  }
}

async function countQuarantined({ database, tables: { quarantine }, source }: InboxContext) {
  const open = `select 1 from ${quarantine} where source = $1 and state = 'open'`
  const { rows } = await database.query<{ count: number }>(`select ${countSql(open)} as count`, [
    source,
  ])
  return boundedCount(rows[0]?.count)
}

function noAnswer(): Error {
  return Object.assign(new Error('No answer in time.'), { code: 'timeout' })
}
