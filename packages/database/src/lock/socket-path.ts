import { readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { attempt, unless } from '../errors.ts'

/** The longest path of a Unix socket that every system supports. */
const maxBytes = 103

/**
 * Where the holder of a folder listens: a private folder, because the parent need not be private.
 */
export function socketFolder(folder: string): string {
  return join(folder, 'socket')
}

/**
 * The socket of the holder with that lock. Its name is unique, so a socket that a killed process
 * left behind, or that was copied with the folder, belongs to nobody. Undefined if there can be no
 * socket.
 */
export function socketPath(folder: string, token: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const path = join(socketFolder(folder), token.slice(0, 8))
  // Relative to the current directory, usually the folder of the app, it may be short enough.
  const nearer = attempt(() => relative(process.cwd(), path), path)
  return [path, nearer].find((one) => Buffer.byteLength(one) <= maxBytes)
}

/**
 * Removes the sockets of a folder, and then their folder. Throws if it has other contents: then an
 * app uses the same name, and nothing of that may go.
 */
export function removeSockets(folder: string): void {
  const path = socketFolder(folder)
  unless('ENOENT', () => readdirSync(path, { withFileTypes: true }), [])
    .filter((entry) => entry.isSocket() && /^[0-9a-f]{8}$/.test(entry.name))
    .forEach(({ name }) => unlinkSync(join(path, name)))
  unless('ENOENT', () => rmdirSync(path), undefined)
}
