import { join, relative } from 'node:path'
import { attempt } from '../errors.ts'

/** What fits into the address of a Unix socket on every system. */
const mostBytes = 103

/** Where the holder of a folder listens: a folder for the user alone, as nothing else in it has to be. */
export function socketFolder(folder: string): string {
  return join(folder, 'socket')
}

/**
 * The socket of the holder with that lock: a name of its own, so that one which a killed process has
 * left behind, or which came along with a copy of the folder, is nobody's. Undefined where none can be.
 */
export function socketPath(folder: string, token: string): string | undefined {
  if (process.platform === 'win32') return undefined
  const path = join(socketFolder(folder), token.slice(0, 8))
  // As seen from here, which is mostly the folder of the app, it may be short enough to fit.
  const nearer = attempt(() => relative(process.cwd(), path), path)
  return [path, nearer].find((one) => Buffer.byteLength(one) <= mostBytes)
}
