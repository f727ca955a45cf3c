import type { Writable } from 'node:stream'
import { createRedaction } from './redaction.ts'
import { visible } from './visible.ts'

export interface OutputOptions {
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
  isJson: boolean
}

/**
 * Where everything goes that a command prints: results to stdout, all else to stderr. No secret that
 * it was told to hide gets through, wherever a text took it from.
 */
export interface Output {
  readonly isJson: boolean
  /** Columns of the terminal; undefined where there is none. */
  readonly columns: number | undefined
  /** A line of the result, left out with `--json`. */
  line(text: string): void
  /** The result, or one record of it, printed with `--json` alone. */
  json(value: unknown): void
  /** Exact bytes of the result. */
  bytes(value: Uint8Array): void
  /** A line for a person, which is no part of the result. */
  note(text: string): void
  /** A result whose secret is shown on purpose, as text or with `--json` as JSON; nothing is hidden. */
  reveal(shown: { line: string; json: unknown }): void
  /** What is going on: replaces itself on a terminal, and is nothing elsewhere. */
  progress(text: string): void
  /** Ends the command's output with its error. */
  error(error: { code: string; message: string }): void
  /** Keeps a text out of everything that is printed from now on. */
  hide(text: string): void
}

/** Makes the output of one run. */
export function createOutput({ stdout, stderr, isJson }: OutputOptions): Output {
  const { hide, clean } = createRedaction()
  let hasProgress = false

  return {
    isJson,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    line(text) {
      if (!isJson) write(stdout, visible(clean(text)))
    },
    json(value) {
      if (isJson) write(stdout, clean(JSON.stringify(value)))
    },
    bytes(value) {
      stdout.write(value)
    },
    note(text) {
      write(stderr, visible(clean(text)))
    },
    reveal({ line, json }) {
      write(stdout, isJson ? JSON.stringify(json) : visible(line))
    },
    progress(text) {
      if (isJson || stderr.isTTY !== true) return
      stderr.write(`\r\u001B[K${visible(clean(text)).slice(0, (stdout.columns ?? 80) - 1)}`)
      hasProgress = true
    },
    error({ code, message }) {
      const text = message.replaceAll(/\s*\n\s*/g, ' ')
      write(
        stderr,
        isJson ? clean(JSON.stringify({ error: text, code })) : `error: ${visible(clean(text))}`,
      )
    },
    hide,
  }

  function write(stream: Writable, line: string): void {
    if (hasProgress) stderr.write('\r\u001B[K')
    hasProgress = false
    stream.write(`${line}\n`)
  }
}
