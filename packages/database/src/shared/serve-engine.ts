import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Engine } from '../embedded/engine.ts'
import { attempt } from '../errors.ts'
import { protocol, send } from './messages.ts'
import { serveConnection, type Leave } from './serve-connection.ts'
import { removeSockets, socketFolder, socketPath } from '../lock/socket-path.ts'

const mostConnections = 100

/**
 * Lets other processes of the same user call an engine, over a socket in its folder. Undefined if
 * there can be no socket: then only this process uses the folder.
 */
export async function serveEngine(folder: string, token: string, engine: Engine, leave: Leave) {
  const path = socketPath(folder, token)
  if (path === undefined || !makeSocketFolder(folder)) return undefined
  const connections = new Set<() => void>()
  const server = createServer((socket) => {
    const close = serveConnection(socket, engine, leave)
    connections.add(close)
    socket.once('close', () => connections.delete(close))
    send(socket, { protocol, token, isGuest: leave !== undefined })
  })
  server.maxConnections = mostConnections
  try {
    // Exclusive: otherwise the primary of a cluster would listen instead of its worker.
    server.listen({ path, exclusive: true })
    await once(server, 'listening')
    chmodSync(path, 0o600)
  } catch {
    server.close()
    return undefined
  }
  server.unref()
  return {
    /** Ends the connections: the next engine runs the calls that have not begun. */
    close(): void {
      server.close()
      for (const closeConnection of connections) closeConnection()
    },
  }
}

/** Makes an empty folder for this user only; false if that fails. */
function makeSocketFolder(folder: string): boolean {
  return attempt(() => {
    removeSockets(folder)
    const path = socketFolder(folder)
    mkdirSync(path, { mode: 0o700 })
    chmodSync(path, 0o700)
    const { uid, mode } = lstatSync(path)
    return uid === process.getuid?.() && (mode & 0o077) === 0
  }, false)
}
