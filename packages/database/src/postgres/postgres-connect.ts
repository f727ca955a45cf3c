import { connect, type Socket } from 'node:net'

/** The part of a `pg.Pool` that is used here, so that any copy and version of it fits. */
export interface PgPool {
  connect(taken: (error: Error | undefined, client: PgClient | undefined) => void): void
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  end(): Promise<void>
  readonly options: object
  /** Its open connections, and those that are idle. */
  readonly totalCount?: number
  readonly idleCount?: number
}

export interface PgClient {
  /** Identifies the backend to the server, if the connection is one of node-postgres. */
  readonly processID?: number | null
  readonly secretKey?: unknown
  readonly connection?: {
    readonly stream?: Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'> &
      Partial<Pick<Socket, 'cork' | 'uncork'>>
  }
  /** Whether it sends statements without waiting for the answers to earlier ones. */
  readonly pipeline?: boolean
  query<Row>(statement: PgStatement, answered: Answered<Row>): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (notification: { payload?: string }) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: Error): void
}

export interface PgStatement {
  /** The name under which the connection keeps the plan. */
  name?: string
  text: string
  values?: unknown[]
  /** The parsers of the values in its rows. */
  types?: { getTypeParser: (oid: number) => (text: string) => unknown }
}

type Answered<Row> = (error: Error | null | undefined, result: PgResult<Row>) => void

export interface PgResult<Row> {
  rows: Row[]
  rowCount: number | null
  command: string
}

/** Where the connections of a database come from. */
export interface ConnectionSource {
  readonly pools: readonly PgPool[]
  /** Takes a connection; `onError` is called with its errors until it is released. */
  connect(timeoutMs: number, onError: (error: Error) => void): Promise<PgClient>
}

export function fromPool(pool: PgPool): ConnectionSource {
  return {
    pools: [pool],
    connect: (timeoutMs, onError) => connectInTime(pool, timeoutMs, onError),
  }
}

/** Closes the pools of sources, after those that still open. */
export async function endPools(
  sources: readonly (Promise<ConnectionSource> | undefined)[],
): Promise<void> {
  const opened = await Promise.allSettled(sources.filter((source) => source !== undefined))
  const pools = opened.flatMap((one) => (one.status === 'fulfilled' ? one.value.pools : []))
  await Promise.all(pools.map((pool) => pool.end()))
}

/**
 * Takes a connection within a time limit. A given pool may have no limit, and would wait for ever
 * for a frozen server.
 */
export function connectInTime(
  pool: PgPool,
  timeoutMs: number,
  onError: (error: Error) => void,
): Promise<PgClient> {
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(new Error(`no connection within ${Math.ceil(timeoutMs)} ms`))
    }, timeoutMs)
    // With a callback, because the pool's promise would be too late. A taken client has no other
    // listener, an 'error' event without one ends the process, and the bytes that open a connection
    // may already bring its error.
    pool.connect((error, client) => {
      clearTimeout(timer)
      client?.on('error', onError)
      if (!client) reject(error ?? new Error('the pool returned no connection'))
      else if (isLate) releaseClient(client, onError)
      else resolve(client)
    })
  })
}

/**
 * Runs a statement, and rejects if there is no answer in time. By a callback, and with a timer of our
 * own: for a promise or a time limit, node-postgres assigns a function to a property, and V8 creates
 * that in the old generation of the heap, where it keeps the whole result until a major collection.
 */
export function askInTime<Row>(
  client: Pick<PgClient, 'query'>,
  statement: PgStatement,
  timeoutMs: number,
): Promise<PgResult<Row>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    const answered: Answered<Row> = (error, result) => {
      clearTimeout(timer)
      if (error) reject(error)
      else resolve(result)
    }
    try {
      client.query<Row>(statement, answered)
    } catch (error) {
      clearTimeout(timer)
      throw error
    }
  })
}

/** Returns a connection to its pool, or destroys it after a failure. */
export function releaseClient(
  client: PgClient,
  onError: (error: Error) => void,
  failure?: Error,
): void {
  client.removeListener('error', onError)
  client.release(failure)
  // node-postgres would wait for ever for a frozen server to close the connection.
  if (failure) client.connection?.stream?.destroy()
}

const cancelTimeoutMs = 2_000

/**
 * Asks the server of a connection to cancel its statement. Closing the connection is not enough: a
 * statement that waits for a lock would keep its backend, until the server has none left. Reports
 * no errors, because a server that does not react is no worse off.
 */
export function cancelStatement(
  { processID, secretKey }: PgClient,
  { remoteAddress: host, remotePort: port }: Pick<Socket, 'remoteAddress' | 'remotePort'>,
): void {
  // A Unix socket has no address, and a later protocol version has longer keys.
  if (host === undefined || port === undefined) return
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const socket = connect({ host, port, timeout: cancelTimeoutMs })
  socket.on('connect', () => socket.end(cancelRequest(processID, secretKey)))
  socket.on('timeout', () => socket.destroy())
  socket.on('error', () => undefined)
  socket.unref()
}

// CancelRequest of the PostgreSQL protocol: its length, its code, and the backend's identity.
function cancelRequest(processID: number, secretKey: number): Buffer {
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(80_877_102, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  return request
}
