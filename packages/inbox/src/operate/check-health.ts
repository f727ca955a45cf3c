import { boundedCount, countSql, type BoundedCount } from '../entry/sql.ts'
import { codeOf } from '../errors.ts'
import { inTime } from '../in-time.ts'
import { listStreams, type StreamRow } from '../pull/streams.ts'
import type { Place } from '../queue/queue.ts'
import { countGaps, type GapCounts } from './gaps.ts'
import { lookAtJobs } from './look-at-jobs.ts'
import { describePause, listPauses, type PauseRow } from './pauses.ts'
import { clockProblems, databaseProblem, problemIf, type HealthProblem } from './health-problems.ts'
import { findPausing, type RefusalRow } from './refusals.ts'

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
  /** The code of the error if the database or the queue is down. */
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
  /** Jobs that wait for a first or for another attempt, counted up to 1,000. */
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
/** How many received entries the search for the oldest one that is no replay reads. */
const mostLookedAt = 10_000

/** A running inbox. `disk` remembers whether a recent write failed because the disk is full. */
type Watched = Place & { disk: { isFull(): boolean } }

/** Checks the database and the queue. Never rejects, and answers within five seconds. */
export async function checkHealth(whenRunning: () => Promise<Watched>): Promise<InboxHealth> {
  try {
    // On a hanging server a statement waits longer than a health check may take.
    return await inTime(whenRunning().then(lookInside), timeoutMs, noAnswer)
  } catch (error) {
    const code = codeOf(error) ?? 'unknown'
    const problems = [databaseProblem(error, code)]
    const nothing = { backlog: null, dead: null, quarantined: null, gaps: null, streams: null }
    const down = { ok: false, problems, database: 'down', error: code, queue: 'down' } as const
    return { ...down, ...nothing, warnings: [], pauses: null, refusals: null }
  }
}

async function lookInside(place: Watched): Promise<InboxHealth> {
  const { oldestAgeSeconds, clock, ...counts } = await lookAtEntries(place)
  const gaps = await countGaps(place)
  const streams = (await listStreams(place)).map(({ cursor: _cursor, ...stream }) => stream)
  const pauses = await listPauses(place)
  const { refusals, pausing } = await findPausing(place)
  const count = pausing?.count ?? 0
  const times = count === 1 ? 'once' : `${count} times`
  const rejected = problemIf(pausing !== undefined, 'deliveries_rejected', { ...pausing, times })
  const warnings = [...rejected, ...pauses.flatMap(pausedLong)]
  const seen = { warnings, database: 'up', ...counts, gaps, pauses, streams, refusals } as const
  const problems = [...clock, ...problemIf(place.disk.isFull(), 'disk_full')]
  try {
    const { isIgnored, abandoned, ...jobs } = await lookAtJobs(place, pauses)
    const backlog = { ...jobs, oldestAgeSeconds }
    problems.push(...problemIf(isIgnored, 'nothing_claimed'))
    problems.push(...problemIf(abandoned > 0, 'claims_abandoned', { abandoned }))
    return { ok: problems.length === 0, problems, error: null, queue: 'up', ...seen, backlog }
  } catch (error) {
    const code = codeOf(error) ?? 'unknown'
    problems.push(...problemIf(true, 'queue_down', { code }))
    return { ok: false, problems, error: code, queue: 'down', ...seen, backlog: null }
  }
}

async function lookAtEntries({ database, tables: { entry, quarantine }, source }: Place) {
  const sent = Date.now()
  const { rows } = await database.query<
    Record<'dead' | 'quarantined' | 'now', number> & { oldestAgeSeconds: number | null }
  >(
    `select
       ${countSql(`select 1 from ${entry} where source = $1 and state = 'dead'`)} as dead,
       ${countSql(`select 1 from ${quarantine} where source = $1 and state = 'open'`)} as quarantined,
       (select extract(epoch from now() - min(received_at))::float8 from (
          select received_at, is_replay from ${entry}
          where source = $1 and state = 'received' order by received_at, id limit ${mostLookedAt}
        ) oldest where not is_replay) as "oldestAgeSeconds",
       (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    [source],
  )
  const { dead = 0, quarantined = 0, oldestAgeSeconds = null, now = sent } = rows[0] ?? {}
  return {
    clock: clockProblems(now, sent, Date.now()),
    dead: boundedCount(dead),
    quarantined: boundedCount(quarantined),
    // Our clock may be ahead of the server's.
    oldestAgeSeconds: oldestAgeSeconds === null ? null : Math.max(0, oldestAgeSeconds),
  }
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
