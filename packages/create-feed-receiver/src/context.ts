import type { Readable, Writable } from 'node:stream'

/** What the command knows of the world around it. */
export interface Context {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  input: Readable
  output: Writable
  /** Whether somebody sits there who can be asked. */
  canAsk: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
  print: (line: string) => void
  complain: (line: string) => void
}
