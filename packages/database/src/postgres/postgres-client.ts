import { setTimeout as delay } from 'node:timers/promises'
import { isError } from '@feed-receiver/core/internal'
import { DatabaseError, sqlState } from '../errors.ts'
import { parserFor } from '../values/value-parsers.ts'
import {
  askInTime,
  cancelStatement,
  releaseClient,
  type ConnectionSource,
  type PgClient,
  type PgResult,
  type PgStatement,
} from './postgres-connect.ts'
import { unavailable } from './unavailable.ts'

/** A connection that one caller uses, until it releases it. */
export interface TakenClient {
  /**
   * Runs a statement. Without an answer in time, the server is asked to cancel it, unless
   * `canCancel` is false. Errors: those of the server, and `unavailable` if the connection is
   * broken.
   */
  run<Row>(
    statement: PgStatement,
    timeoutMs: number,
    options?: { canCancel?: boolean },
  ): Promise<PgResult<Row>>
  /** Runs a text, which may hold several statements if it has no values. */
  executeSql(statement: SqlStatement, timeoutMs: number): Promise<{ rows: unknown[] }>
  /** Whether a statement is sent before the ones before it are answered. */
  readonly isPipelined: boolean
  /** Sends in one write all that a function sends. */
  inOneWrite<T>(send: () => T): T
  /** Identifies the connection beyond this use. */
  readonly pgClient: PgClient
  /** True after the connection has failed or a statement was given up: send nothing more then. */
  isBroken(): boolean
  /** Resolves when the connection is broken. */
  readonly broken: Promise<void>
  /** Marks the connection as unusable. */
  discard: (error: unknown) => void
  /** Calls back with its notifications. */
  hear(onNotification: (payload: string) => void): void
  /** Returns it to the pool, or destroys it if it is broken. Safe to call again. */
  release(): void
}

/** Given with each statement, because an app may change the types of `pg`, or of its pool. */
export const ourTypes = { getTypeParser: parserFor }

/** A statement; one of pg-boss without values may hold several. */
export interface SqlStatement {
  text: string
  values?: readonly unknown[] | undefined
  /** Under which the connection keeps its plan. */
  name?: string | undefined
}

const answeredAt = new WeakMap<PgClient, number>()

/**
 * Takes a connection, and waits at most `connectionTimeoutMs`. Once a connection has failed to
 * answer, all others to that server are doubtful: those that have been silent since are not used
 * again. So a server that died with open connections costs one time limit, not one per connection.
 * `doubts` holds the time since when a connection must have answered, by `performance.now()`.
 *
 * Errors: `unavailable` if no connection is free in time, or if the taken one fails.
 */
export async function takeClient(
  source: ConnectionSource,
  connectionTimeoutMs: number,
  doubts: { since: number },
): Promise<TakenClient> {
  let failure: Error | undefined
  let isReleased = false
  let onBroken = () => {}
  const broken = new Promise<void>((resolve) => (onBroken = resolve))
  const client = await connectBeyondDoubt().catch((error: unknown) => {
    throw unavailable('could not be reached', error)
  })
  // Read now, because node-postgres closes a pipelined connection whose statement times out.
  const { remoteAddress, remotePort } = client.connection?.stream ?? {}

  return {
    run,
    isPipelined: client.pipeline === true,
    inOneWrite(send) {
      const { stream } = client.connection ?? {}
      stream?.cork?.()
      try {
        return send()
      } finally {
        stream?.uncork?.()
      }
    },
    pgClient: client,
    async executeSql({ text, values = [], name }, timeoutMs) {
      // node-postgres returns an array for several statements, which its types do not say.
      const result: PgResult<unknown> | PgResult<unknown>[] = await run(
        { ...(name !== undefined && { name }), text, values: [...values], types: ourTypes },
        timeoutMs,
      )
      return { rows: [result].flat().flatMap(({ rows }) => rows) }
    },
    isBroken: () => failure !== undefined,
    broken,
    discard,
    hear(onNotification) {
      client.on('notification', ({ payload = '' }) => onNotification(payload))
    },
    release() {
      if (isReleased) return
      isReleased = true
      releaseClient(client, discard, failure)
    },
  }

  async function run<Row>(
    statement: PgStatement,
    timeoutMs: number,
    { canCancel = true } = {},
  ): Promise<PgResult<Row>> {
    if (failure) throw unavailable('dropped the connection', failure)
    const startedAt = performance.now()
    try {
      const result = await askInTime<Row>(client, statement, timeoutMs)
      answeredAt.set(client, performance.now())
      return result
    } catch (error) {
      if (sqlState(error) === readOnlyState) {
        // Every connection to this server is useless now, also the idle ones in the pool.
        discard(error)
        doubts.since = performance.now()
        throw unavailable('accepts only reads on this connection, as a standby does', error)
      }
      if (leavesUsable(error)) {
        // Where it was made, there are only frames of the socket. Here its stack leads to the caller.
        if (isError(error)) Error.captureStackTrace(error)
        answeredAt.set(client, performance.now())
        throw error
      }
      if (!failure && canCancel) cancelStatement(client, { remoteAddress, remotePort })
      discard(error)
      doubts.since = Math.max(doubts.since, startedAt)
      throw unavailable('did not answer, so the outcome of the statement is unknown', error)
    }
  }

  function discard(error: unknown): void {
    failure ??= isError(error) ? error : new Error(String(error))
    onBroken()
  }

  async function connectBeyondDoubt(): Promise<PgClient> {
    const endsAt = performance.now() + connectionTimeoutMs
    let rejection: unknown
    for (let againMs = 50; ; againMs = Math.min(againMs * 2, 400)) {
      const leftMs = Math.max(1, endsAt - performance.now())
      const found = await source.connect(leftMs, discard).catch(async (error: unknown) => {
        const isRejection = sqlState(error) === tooManyState
        if (isRejection) rejection = error
        // The last try may have no time left to be rejected.
        if (!isRejection || leftMs <= againMs) throw rejection ?? error
        await delay(againMs)
        return undefined
      })
      if (!found) continue
      const last = answeredAt.get(found)
      // A connection without an answer so far is new.
      if (last === undefined || last >= doubts.since) return found
      releaseClient(found, discard, new Error('silent while others got no answer'))
    }
  }
}

// The server has no connection left for this role. One of this pool may become free.
const tooManyState = '53300'

/** Whether no connection was free because the server has too many. */
export function hadTooMany(error: unknown): boolean {
  return error instanceof DatabaseError && sqlState(error.cause) === tooManyState
}

// A demoted primary, or an address that has moved to a standby.
const readOnlyState = '25006'

// With 08 and 57P the server ends a connection, and so it does when a transaction times out.
function leavesUsable(error: unknown): boolean {
  // An error of our own parsers, after the server was done.
  if (error instanceof DatabaseError) return true
  const state = sqlState(error)
  return state !== undefined && !/^(?:08|57P|25P0[34])/.test(state)
}
