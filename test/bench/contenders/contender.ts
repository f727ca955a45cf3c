/**
 * A receiver that somebody would write or take instead of this kit: how it keeps an event, and how
 * it handles it. All of them share the same route (`app.ts`) and the same handlers.
 */
export interface Contender {
  /** Resolves once the event counts as accepted, whether it is new or known. */
  keep(event: KeptEvent, body: Buffer): Promise<void>
  /** Handles kept events from now on, four at a time. */
  work(handle: Handle): Promise<void>
  stop(): Promise<void>
}

export interface KeptEvent {
  id: string
  type: string
}

/** Writes the effect of an event. `query` is a transaction with the job if the contender has that. */
export type Handle = (event: KeptEvent, query: Query) => Promise<void>

export type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

export interface ContenderSettings {
  /** The name of its connections to PostgreSQL. */
  name: string
  databaseUrl: string
  redisUrl?: string | undefined
  /** Retries sooner than by the defaults. A queue on pg-boss is changed in the database instead. */
  isQuick?: boolean
  /** Whether pg-boss announces jobs with NOTIFY, too, which it does not by default. */
  notifies?: boolean
  /** Called when `keep` has written the event, and not yet anything else. */
  onFirstWrite?: (() => void) | undefined
}

export const queueName = 'events'
export const concurrency = 4

/**
 * How a worker of pg-boss fetches without a pause: in pairs, because it only fetches again at once
 * after a full batch of more than one. Each pair is handled one after the other.
 */
export const eagerWork = {
  localConcurrency: concurrency,
  batchSize: 2,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
} as const

/** What a careful user sets, so that no query waits longer than the service does. */
export const poolSettings = {
  max: 10,
  connectionTimeoutMillis: 5_000,
  query_timeout: 8_000,
}

/** How often pg-boss looks for missed heartbeats, as in this kit. By default it is once a minute. */
export const supervision = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 }

/** Retries of a queue on pg-boss. `heartbeatSeconds` returns the job of a killed worker. */
export const retries = { retryLimit: 10, retryBackoff: true, heartbeatSeconds: 30 }

/** Reports the errors of a connection, which would end the process if nobody listened. */
export function report(error: unknown): void {
  console.log('in the background:', error)
}
