import type { Readable } from 'node:stream'
import type { Output } from './output/output.ts'

/** What a verb knows of the world around it. */
export interface Context {
  out: Output
  /** The environment, and beneath it what ./.env sets. */
  env: Readonly<Record<string, string | undefined>>
  input: Readable & { isTTY?: boolean }
  /** Whether somebody sits there who can be asked. */
  canAsk: boolean
  /** Aborts with Ctrl-C. */
  signal: AbortSignal
}
