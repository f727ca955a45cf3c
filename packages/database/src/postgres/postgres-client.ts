import { cancelStatement, type Cancellable } from './cancel-statement.ts'
import { DatabaseError } from '../errors.ts'
import { sqlState } from '../sql-state.ts'

/** As much of a `pg.Pool` as is used here, so that any copy and version of it fits. */
export interface PgPool {
  connect(taken: (error: Error | undefined, client: PgClient | undefined) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  end(): Promise<void>
  readonly options: object
}

export interface PgClient extends Cancellable {
  query<Row>(statement: PgStatement): Promise<PgResult<Row>>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (notification: { payload?: string }) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: Error): void
}

export interface PgStatement {
  /** Keeps the plan under this name. */
  name?: string
  text: string
  values?: unknown[]
  query_timeout: number
}

export interface PgResult<Row> {
  rows: Row[]
  rowCount: number | null
  command: string
}

/** Since when a connection must have answered for it to be used again, by `performance.now()`. */
export interface Doubts {
  since: number
}

/** One connection out of the pool. */
export interface TakenClient {
  run<Row>(statement: PgStatement): Promise<PgResult<Row>>
  /** Set once the connection has failed or a statement was given up: nothing may be sent then. */
  isBroken(): boolean
  /** Marks it as not to be used again. */
  discard(error: unknown): void
  /** Calls back with what is notified to it. */
  hear(onNotification: (payload: string) => void): void
  /** Resolves once it is broken. */
  readonly broken: Promise<void>
  /** Back into the pool, or destroyed if it is broken. */
  release(): void
}

const answeredAt = new WeakMap<PgClient, number>()

/**
 * Takes a connection, waiting for at most `connectionTimeoutMs`. Where one has failed to answer, the
 * others to the same server are in doubt: those that have been silent since are not used again, so
 * that a server which died with its connections open costs one time limit, and not one for each.
 *
 * Errors: `unavailable` when there is none in time and when a taken one fails.
 */
export async function takeClient(
  pool: PgPool,
  connectionTimeoutMs: number,
  doubts: Doubts,
): Promise<TakenClient> {
  let failure: Error | undefined
  let isReleased = false
  let onBroken = () => {}
  const broken = new Promise<void>((resolve) => (onBroken = resolve))
  const client = await connectBeyondDoubt(pool, connectionTimeoutMs, discard, doubts).catch(
    (error: unknown) => {
      throw unavailable('could not be reached', error)
    },
  )

  return {
    async run<Row>(statement: PgStatement): Promise<PgResult<Row>> {
      if (failure) throw unavailable('broke off the connection', failure)
      const startedAt = performance.now()
      try {
        const result = await client.query<Row>(statement)
        answeredAt.set(client, performance.now())
        return result
      } catch (error) {
        if (leavesUsable(error)) {
          answeredAt.set(client, performance.now())
          throw error
        }
        if (!failure) cancelStatement(client)
        discard(error)
        doubts.since = Math.max(doubts.since, startedAt)
        throw unavailable('did not answer, so the outcome of the statement is unknown', error)
      }
    },
    isBroken: () => failure !== undefined,
    discard,
    hear(onNotification) {
      client.on('notification', ({ payload = '' }) => onNotification(payload))
    },
    broken,
    release() {
      if (isReleased) return
      isReleased = true
      giveBack(client, discard, failure)
    },
  }

  function discard(error: unknown): void {
    failure ??= error instanceof Error ? error : new Error(String(error))
    onBroken()
  }
}

async function connectBeyondDoubt(
  pool: PgPool,
  timeoutMs: number,
  onError: (error: Error) => void,
  doubts: Doubts,
): Promise<PgClient> {
  const endsAt = performance.now() + timeoutMs
  for (;;) {
    const client = await connectInTime(pool, Math.max(1, endsAt - performance.now()), onError)
    const last = answeredAt.get(client)
    // Without an answer so far it has just been made.
    if (last === undefined || last >= doubts.since) return client
    giveBack(client, onError, new Error('silent while others got no answer'))
  }
}

function giveBack(client: PgClient, onError: (error: Error) => void, failure?: Error): void {
  client.removeListener('error', onError)
  client.release(failure)
  // The farewell of node-postgres would wait for ever for that of a server that is frozen.
  if (failure) client.connection?.stream?.destroy()
}

// A given pool may have no time limit of its own, and would wait for a frozen server for ever.
async function connectInTime(
  pool: PgPool,
  timeoutMs: number,
  onError: (error: Error) => void,
): Promise<PgClient> {
  const connecting = connectListening(pool, onError)
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      connecting.then((late) => giveBack(late, onError), ignore)
      reject(new Error(`no connection within ${Math.ceil(timeoutMs)} ms`))
    }, timeoutMs)
  })
  try {
    return await Promise.race([connecting, timeout])
  } finally {
    clearTimeout(timer)
  }
}

// A taken client has no other listener, and an 'error' event without one ends the process. The pool's
// own promise would be too late: the bytes that open a connection may bring its end along.
function connectListening(pool: PgPool, onError: (error: Error) => void): Promise<PgClient> {
  return new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      client?.on('error', onError)
      if (client) resolve(client)
      else reject(error ?? new Error('the pool gave no connection'))
    })
  })
}

// 08 and 57P are the server's last words on a connection, and so is an idle transaction's time-out.
function leavesUsable(error: unknown): boolean {
  // Of our own parsers, once the server was done.
  if (error instanceof DatabaseError) return true
  const state = sqlState(error)
  return state !== undefined && !/^(?:08|57P|25P03)/.test(state)
}

function unavailable(what: string, cause: unknown): DatabaseError {
  return new DatabaseError(
    'unavailable',
    `PostgreSQL ${what} (${reasonOf(cause)}). Check that it runs, that its URL names host, user and ` +
      'database, and that it has connections left. The next call connects anew.',
    { cause },
  )
}

// Where a host has several addresses, the error of all of them has a code and no message.
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

function ignore(): void {
  // The caller has been told already.
}
