import { DatabaseError, say, sqlState } from '../errors.ts'
import {
  cancelStatement,
  connectInTime,
  giveBack,
  type PgClient,
  type PgPool,
  type PgResult,
  type PgStatement,
} from './postgres-connect.ts'

/** One connection out of the pool. */
export type TakenClient = Awaited<ReturnType<typeof takeClient>>

const answeredAt = new WeakMap<PgClient, number>()

/**
 * Takes a connection, waiting for at most `connectionTimeoutMs`. Where one has failed to answer, the
 * others to the same server are in doubt: those that have been silent since are not used again, so
 * that a server which died with its connections open costs one time limit, and not one for each.
 * `doubts` says since when one must have answered, by `performance.now()`.
 *
 * Errors: `unavailable` when there is none in time and when a taken one fails.
 */
export async function takeClient(
  pool: PgPool,
  connectionTimeoutMs: number,
  doubts: { since: number },
) {
  let failure: Error | undefined
  let isReleased = false
  let onBroken = () => {}
  const broken = new Promise<void>((resolve) => (onBroken = resolve))
  const client = await connectBeyondDoubt().catch((error: unknown) => {
    throw unavailable('could not be reached', error)
  })

  return {
    run,
    /** The driver's own values; without any, the text may hold several statements. */
    async executeSql(text: string, values: readonly unknown[] = [], query_timeout: number) {
      // node-postgres answers several statements with an array, which its types do not say.
      const result: PgResult<unknown> | PgResult<unknown>[] = await run({
        text,
        values: [...values],
        query_timeout,
      })
      return { rows: [result].flat().flatMap(({ rows }) => rows) }
    },
    /** Set once the connection has failed or a statement was given up: nothing may be sent then. */
    isBroken: () => failure !== undefined,
    /** Resolves once it is broken. */
    broken,
    /** Marks it as not to be used again. */
    discard,
    /** Calls back with what is notified to it. */
    hear(onNotification: (payload: string) => void) {
      client.on('notification', ({ payload = '' }) => onNotification(payload))
    },
    /** Back into the pool, or destroyed if it is broken. */
    release() {
      if (isReleased) return
      isReleased = true
      giveBack(client, discard, failure)
    },
  }

  async function run<Row>(statement: PgStatement): Promise<PgResult<Row>> {
    if (failure) throw unavailable('broke off the connection', failure)
    const startedAt = performance.now()
    try {
      const result = await client.query<Row>(statement)
      answeredAt.set(client, performance.now())
      return result
    } catch (error) {
      if (sqlState(error) === readOnlyState) {
        // Every connection to this server is of no use any more, also those that wait in the pool.
        discard(error)
        doubts.since = performance.now()
        throw unavailable('can only be read from here, as a standby can', error)
      }
      if (leavesUsable(error)) {
        answeredAt.set(client, performance.now())
        throw error
      }
      if (!failure) cancelStatement(client)
      discard(error)
      doubts.since = Math.max(doubts.since, startedAt)
      throw unavailable('did not answer, so the outcome of the statement is unknown', error)
    }
  }

  function discard(error: unknown): void {
    failure ??= error instanceof Error ? error : new Error(String(error))
    onBroken()
  }

  async function connectBeyondDoubt(): Promise<PgClient> {
    const endsAt = performance.now() + connectionTimeoutMs
    for (;;) {
      const inTime = Math.max(1, endsAt - performance.now())
      const found = await connectInTime(pool, inTime, discard)
      const last = answeredAt.get(found)
      // Without an answer so far it has just been made.
      if (last === undefined || last >= doubts.since) return found
      giveBack(found, discard, new Error('silent while others got no answer'))
    }
  }
}

// A primary that was demoted, or an address that has moved to a standby.
const readOnlyState = '25006'

// 08 and 57P are the server's last words on a connection, and so is an idle transaction's time-out.
function leavesUsable(error: unknown): boolean {
  // Of our own parsers, once the server was done.
  if (error instanceof DatabaseError) return true
  const state = sqlState(error)
  return state !== undefined && !/^(?:08|57P|25P03)/.test(state)
}

function unavailable(what: string, cause: unknown): DatabaseError {
  const text = say('unavailable', { what, reason: reasonOf(cause) })
  return new DatabaseError('unavailable', text, { cause })
}

// Where a host has several addresses, the error of all of them has a code and no message.
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
