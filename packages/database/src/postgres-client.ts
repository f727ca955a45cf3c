import { cancelStatement, type Cancellable } from './cancel-statement.ts'
import { DatabaseError } from './errors.ts'
import { sqlState } from './sql-state.ts'

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

/** One connection out of the pool. */
export interface TakenClient {
  run<Row>(statement: PgStatement): Promise<PgResult<Row>>
  /** Set once the connection has failed or a statement was given up: nothing may be sent then. */
  isBroken(): boolean
  /** Marks it as not to be used again. */
  discard(error: unknown): void
  /** Back into the pool, or destroyed if it is broken. Call it once. */
  release(): void
}

/**
 * Takes a connection, waiting for at most `connectionTimeoutMs`.
 *
 * Errors: `unavailable` when there is none in time and when a taken one fails.
 */
export async function takeClient(pool: PgPool, connectionTimeoutMs: number): Promise<TakenClient> {
  let broken: Error | undefined
  const client = await connectInTime(pool, connectionTimeoutMs, discard).catch((error: unknown) => {
    throw unavailable('could not be reached', error)
  })

  return {
    async run(statement) {
      if (broken) throw unavailable('broke off the connection', broken)
      try {
        return await client.query(statement)
      } catch (error) {
        if (leavesUsable(error)) throw error
        if (!broken) cancelStatement(client)
        discard(error)
        throw unavailable('did not answer, so the outcome of the statement is unknown', error)
      }
    },
    isBroken: () => broken !== undefined,
    discard,
    release() {
      client.removeListener('error', discard)
      client.release(broken)
    },
  }

  function discard(error: unknown): void {
    broken ??= error instanceof Error ? error : new Error(String(error))
  }
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
      connecting.then(giveBack, ignore)
      reject(new Error(`no connection within ${timeoutMs} ms`))
    }, timeoutMs)
  })
  try {
    return await Promise.race([connecting, timeout])
  } finally {
    clearTimeout(timer)
  }

  function giveBack(late: PgClient): void {
    late.removeListener('error', onError)
    late.release()
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
