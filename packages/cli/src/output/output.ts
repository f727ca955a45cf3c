import type { Writable } from 'node:stream'
import { styleText } from 'node:util'

/** What is printed to; results go to stdout, all else to stderr. */
export interface Terminal {
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
}

/**
 * Where everything goes that a command prints: results to stdout, all else to stderr. No secret that
 * it was told to hide gets through, wherever a text took it from.
 */
export type Output = ReturnType<typeof createOutput>

/** How something went, which a terminal shows as a colour. */
export type Tone = keyof typeof colors

const colors = { plain: 'reset', good: 'green', warn: 'yellow', bad: 'red' } as const

/** Makes the output of one run. */
export function createOutput({ stdout, stderr, isJson }: Terminal & { isJson: boolean }) {
  const { hide, clean } = createRedaction()
  let hasProgress = false

  return {
    /** Columns of the terminal; undefined where there is none. */
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    /** Whether the result is printed as JSON. */
    isJson,
    line,
    json,
    /** A result as JSON or, without `--json`, in these lines. */
    result(value: unknown, ...lines: string[]): void {
      json(value)
      for (const each of lines) line(each)
    },
    /** A line in the colour of its tone, on a terminal that takes colours; with `--json` the value. */
    tinted(tone: Tone, text: string, value?: unknown): void {
      if (value !== undefined) json(value)
      if (isJson) return
      const shown = visible(clean(text))
      const hasColor = stdout.isTTY === true && !process.env['NO_COLOR'] && tone !== 'plain'
      write(stdout, hasColor ? styleText(colors[tone], shown, { validateStream: false }) : shown)
    },
    /** Exact bytes of the result. */
    bytes(value: Uint8Array): void {
      stdout.write(value)
    },
    /** A line for a person, which is no part of the result. */
    note(text: string): void {
      write(stderr, visible(clean(text)))
    },
    /** A note that `--json` leaves out, because the result has it. */
    hint(text: string): void {
      if (!isJson) write(stderr, visible(clean(text)))
    },
    warn(error: unknown): void {
      const why = error instanceof Error ? error.message : String(error)
      write(stderr, visible(clean(`warning: ${why}`)))
    },
    /** A result whose secret is shown on purpose, as text or with `--json` as JSON; nothing is hidden. */
    reveal(shown: { line: string; json: unknown }): void {
      write(stdout, isJson ? JSON.stringify(shown.json) : visible(shown.line))
    },
    /** What is going on: replaces itself on a terminal. False elsewhere, where it is not shown. */
    progress(text: string): boolean {
      if (isJson || stderr.isTTY !== true) return false
      stderr.write(`\r\u001B[K${visible(clean(text)).slice(0, (stdout.columns ?? 80) - 1)}`)
      hasProgress = true
      return true
    },
    /** Ends the command's output with its error, in one line. */
    error({ code, message }: { code: string; message: string }): void {
      const text = message.replaceAll(/\s*\n\s*/g, ' ')
      const inJson = clean(JSON.stringify({ error: text, code }))
      write(stderr, isJson ? inJson : `error: ${visible(clean(text))}`)
    },
    /** Keeps a text out of everything that is printed from now on. */
    hide,
  }

  /** A line of the result, left out with `--json`. */
  function line(text: string): void {
    if (!isJson) write(stdout, visible(clean(text)))
  }

  /** The result, or one record of it, printed with `--json` alone. */
  function json(value: unknown): void {
    if (isJson) write(stdout, clean(JSON.stringify(value)))
  }

  function write(stream: Writable, text: string): void {
    if (hasProgress) stderr.write('\r\u001B[K')
    hasProgress = false
    stream.write(`${text}\n`)
  }
}

/**
 * A text from outside without what a terminal would obey: control characters, and marks that turn
 * the direction of the text. New lines stay.
 */
function visible(text: string): string {
  return text.replaceAll(obeyed, '\uFFFD')
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const obeyed = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Takes secrets out of texts. */
export function createRedaction() {
  const hidden = new Set<string>()
  return {
    /** Keeps a text out of everything that is cleaned from now on. */
    hide(text: string): void {
      if (!isTelling(text)) return
      hidden.add(text)
      // As it stands within JSON.
      hidden.add(JSON.stringify(text).slice(1, -1))
    },
    clean(text: string): string {
      // The longest first, since one may be the beginning of another.
      return [...hidden]
        .toSorted((a, b) => b.length - a.length)
        .reduce((rest, each) => rest.replaceAll(each, '[hidden]'), text)
        .replaceAll(secretForm, '[hidden]')
    },
  }
}

/** What every secret or key begins with, which every text may name. */
const prefixes = ['feed_whsec_', 'feed_live_']

/** A secret or a key of the service: a prefix alone, or with a full stop behind it, is none. */
const secretForm = /feed_(?:whsec|live)_(?=[^\s"'<>\\…]*[0-9a-z])[^\s"'<>\\…]+/gi

/**
 * Whether hiding a text protects anything. Shorter than 8 characters it is no secret, and stands in
 * ordinary words; a piece of a prefix, or the name of a variable, stands in what we say ourselves.
 */
function isTelling(text: string): boolean {
  if (text.length < 8 || /^[A-Z]+(?:_[A-Z]+)+$/.test(text)) return false
  return !prefixes.some((prefix) => prefix.includes(text))
}
