import type { Usage } from '@feed-receiver/core/api'
import type { Queryable } from '@feed-receiver/database'
import { isoTime } from '../entry/iso-time.ts'

export type StreamPhase = 'first_run' | 'catching_up' | 'tailing' | 'waiting' | 'suspended'

/** How far one stream of the pull API has been read; times are ISO 8601 in UTC. */
export interface StreamRow {
  stream: string
  /** Opaque; null before the first page. */
  cursor: string | null
  phase: StreamPhase
  /** Why it waits or is suspended. */
  code: string | null
  /** Until when it waits; null also while it is suspended, which ends by a probe or a person. */
  waitUntil: string | null
  startedAt: string
  /** When the latest page came; null before the first. */
  polledAt: string | null
  sweptAt: string | null
  /** What the account had used of its month by then. */
  usage: Usage | null
}

/** The columns of a stream, under the names of its rows. */
export const streamRowColumns = `
  stream, cursor, phase, code, ${isoTime('wait_until')} as "waitUntil",
  ${isoTime('started_at')} as "startedAt", ${isoTime('polled_at')} as "polledAt",
  ${isoTime('swept_at')} as "sweptAt", usage`

export async function listStreams(
  db: Queryable,
  table: string,
  source: string,
): Promise<StreamRow[]> {
  const { rows } = await db.query<StreamRow>(
    `select ${streamRowColumns} from ${table} where source = $1 order by stream`,
    [source],
  )
  return rows
}
