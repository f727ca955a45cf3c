import { CliError } from './errors.ts'
import { parseCount } from './parse-count.ts'

/** Reads `--port`; 0 is any free one. */
export function parsePort(text: string): number {
  const port = parseCount('--port', text, 0)
  if (port <= 65_535) return port
  throw new CliError('usage', '--port is a whole number from 0 to 65535.')
}
