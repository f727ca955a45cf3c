import { connect, type Socket } from 'node:net'

/** What node-postgres knows of a connection, where it is one of its own. */
export interface Cancellable {
  readonly processID?: number | null
  readonly secretKey?: unknown
  readonly connection?: {
    readonly stream?: Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'>
  }
}

const limitMs = 2_000

/**
 * Asks the server to give up what a connection is waiting for. Closing it is not enough: a statement
 * that waits for a lock would wait on, with its backend, until the server has none left for anybody.
 * Does its best and says nothing; a server that does not listen is no worse off.
 */
export function cancelStatement({ processID, secretKey, connection }: Cancellable): void {
  const { remoteAddress: host, remotePort: port } = connection?.stream ?? {}
  // A connection through a Unix socket has no address, and a later protocol longer keys.
  if (host === undefined || port === undefined) return
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const socket = connect({ host, port, timeout: limitMs })
  socket.on('connect', () => socket.end(cancelRequest(processID, secretKey)))
  socket.on('timeout', () => socket.destroy())
  socket.on('error', () => undefined)
  socket.unref()
}

// CancelRequest of the PostgreSQL protocol: its length, its code, and what names the backend.
function cancelRequest(processID: number, secretKey: number): Buffer {
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(80_877_102, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  return request
}
