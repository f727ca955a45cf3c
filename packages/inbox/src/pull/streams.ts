import type { Database } from '@feed-receiver/database'
import { listStreams, type StreamPhase, type StreamRow } from './stream-row.ts'
import type { Tables } from '../entry/tables.ts'
import { takeStream, type TakeOptions, type TakenStream } from './take-stream.ts'

export interface StreamNote {
  phase: Extract<StreamPhase, 'waiting' | 'suspended'>
  code: string
  /** Until when nothing is asked; null for a stream that waits for a person. */
  waitUntil: Date | null
}

/** How far the streams of the pull API have been read, and who reads them. */
export interface Streams {
  list(): Promise<StreamRow[]>
  /** Takes or keeps the lease of a stream; null while another process has it. */
  take(stream: string, options: TakeOptions): Promise<TakenStream | null>
  /** Keeps why a stream waits, for whoever goes on with it; false where the lease is lost. */
  note(stream: string, holder: string, note: StreamNote): Promise<boolean>
  /** Lets go of a lease. */
  release(stream: string, holder: string): Promise<void>
}

export interface StreamsOptions {
  tables: Tables
  source: string
  whenRunning: () => Promise<{ database: Database }>
}

/** Makes the read model of streams, and their leases. */
export function createStreams({ tables, source, whenRunning }: StreamsOptions): Streams {
  const table = tables.stream
  return {
    async list() {
      const { database } = await whenRunning()
      return await listStreams(database, table, source)
    },
    async take(stream, options) {
      const { database } = await whenRunning()
      return await takeStream(database, tables, { source, stream, ...options })
    },
    async note(stream, holder, { phase, code, waitUntil }) {
      const { database } = await whenRunning()
      const { rowCount } = await database.query(
        `update ${table} set phase = $4, code = $5, wait_until = $6
         where source = $1 and stream = $2 and lease_holder = $3`,
        [source, stream, holder, phase, code, waitUntil],
      )
      return rowCount === 1
    },
    async release(stream, holder) {
      const { database } = await whenRunning()
      await database.query(
        `update ${table} set lease_holder = null, lease_until = null
         where source = $1 and stream = $2 and lease_holder = $3`,
        [source, stream, holder],
      )
    },
  }
}
