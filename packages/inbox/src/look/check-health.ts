import type { Database, Queryable } from '@feed-receiver/database'
import { boundedCount, type BoundedCount } from './count-entries.ts'
import { countGaps, type GapCounts } from '../pull/gaps.ts'
import type { Queue } from '../queue.ts'
import { inTime } from '../in-time.ts'
import { listStreams, type StreamRow } from '../pull/stream-row.ts'
import type { Tables } from '../tables.ts'

/** How an inbox is. What could not be found out is null. */
export interface InboxHealth {
  /** Whether deliveries can be stored and their work can be queued. */
  ok: boolean
  database: 'up' | 'down'
  /** The code of the error where the database or the queue is down. */
  error: string | null
  queue: 'up' | 'down'
  backlog: Backlog | null
  /** Entries whose handlers gave up, counted up to 1,000. */
  dead: BoundedCount | null
  /** Rows of quarantine that are open, counted up to 1,000. */
  quarantined: BoundedCount | null
  /** What push should have brought and did not, and whether the destination is probably paused. */
  gaps: GapCounts | null
  /** How far the streams of the pull API have been read; none where nothing polls. */
  streams: Omit<StreamRow, 'cursor'>[] | null
}

export interface Backlog {
  /** Jobs that wait for a first or for another attempt, counted up to 1,000. */
  waiting: BoundedCount
  /** Jobs that run now, counted up to 1,000. */
  running: BoundedCount
  /** Since when the oldest entry that is not handled has been there; null where there is none. */
  oldestAgeSeconds: number | null
}

const countUpTo = 1_000
const timeoutMs = 4_000

/** Looks at the database and the queue. Never rejects, and answers within five seconds. */
export async function checkHealth(
  whenRunning: () => Promise<{ database: Database; queue: Pick<Queue, 'name'> }>,
  tables: Tables,
  source: string,
): Promise<InboxHealth> {
  const nothing = { backlog: null, dead: null, quarantined: null, gaps: null, streams: null }
  const down = { ok: false, ...nothing } as const
  const looking = whenRunning().then(async ({ database, queue }): Promise<InboxHealth> => {
    const { oldestAgeSeconds, ...counts } = await lookAtEntries(database, tables, source)
    const gaps = await countGaps(database, tables, source)
    const rows = await listStreams(database, tables.stream, source)
    const streams = rows.map(({ cursor: _cursor, ...stream }) => stream)
    const seen = { ...counts, gaps, streams }
    try {
      const jobs = await lookAtJobs(database, tables.job, queue.name)
      const backlog = { ...jobs, oldestAgeSeconds }
      return { ok: true, database: 'up', error: null, queue: 'up', ...seen, backlog }
    } catch (error) {
      return { ...down, ...seen, database: 'up', error: codeOf(error), queue: 'down' }
    }
  })
  try {
    // A server that hangs lets a statement wait longer than whoever asks for our health does.
    return await inTime(looking, timeoutMs, noAnswer)
  } catch (error) {
    return { ...down, database: 'down', error: codeOf(error), queue: 'down' }
  }
}

async function lookAtEntries(db: Queryable, { entry, quarantine }: Tables, source: string) {
  const { rows } = await db.query<{
    dead: number
    quarantined: number
    oldestAgeSeconds: number | null
  }>(
    `select
       (select count(*) from (
          select 1 from ${entry} where source = $1 and state = 'dead' limit ${countUpTo + 1}
        ) counted) as dead,
       (select count(*) from (
          select 1 from ${quarantine} where source = $1 and state = 'open' limit ${countUpTo + 1}
        ) counted) as quarantined,
       (select extract(epoch from now() - min(received_at))::float8
        from ${entry} where source = $1 and state = 'received') as "oldestAgeSeconds"`,
    [source],
  )
  const { dead = 0, quarantined = 0, oldestAgeSeconds = null } = rows[0] ?? {}
  return {
    dead: boundedCount(dead, countUpTo),
    quarantined: boundedCount(quarantined, countUpTo),
    // Our clock may be ahead of the server's.
    oldestAgeSeconds: oldestAgeSeconds === null ? null : Math.max(0, oldestAgeSeconds),
  }
}

async function lookAtJobs(db: Queryable, table: string, queue: string) {
  const { rows } = await db.query<{ waiting: number; running: number }>(
    `select
       (select count(*) from (
          select 1 from ${table} where name = $1 and state < 'active' and not blocked
          limit ${countUpTo + 1}
        ) counted) as waiting,
       (select count(*) from (
          select 1 from ${table} where name = $1 and state = 'active' limit ${countUpTo + 1}
        ) counted) as running`,
    [queue],
  )
  const { waiting = 0, running = 0 } = rows[0] ?? {}
  return {
    waiting: boundedCount(waiting, countUpTo),
    running: boundedCount(running, countUpTo),
  }
}

function noAnswer(): Error {
  return Object.assign(new Error('No answer in time.'), { code: 'timeout' })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
