import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { orUndefined } from '../or-undefined.ts'

/** The streams of the output: results go to stdout, everything else to stderr. */
export interface Terminal {
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
}

/**
 * Prints all output of a command: results to stdout, everything else to stderr. It redacts every
 * hidden secret, whatever its source.
 */
export interface Output {
  /** Columns of the terminal; undefined if there is none. */
  columns: number | undefined
  isJson: boolean
  /** Prints a line of the result, only without `--json`. */
  line(text: string): void
  /** Prints the result, or one record of it, only with `--json`. */
  json(value: unknown): void
  /** Prints a result as JSON or, without `--json`, as these lines. */
  result(value: unknown, ...lines: string[]): void
  /** Prints a line in the colour of its tone, on a terminal with colours; with `--json` the value. */
  tinted(tone: Tone, text: string, value?: unknown): void
  bytes(value: Uint8Array): void
  /** Prints a line for people, which is not part of the result. */
  note(text: string): void
  /** Prints a note that `--json` leaves out, because the result has it. */
  hint(text: string): void
  warn(error: unknown): void
  /** Prints a result that shows a secret on purpose. Nothing is redacted. */
  reveal(shown: { line: string; json: unknown }): void
  /** Shows progress, in place on a terminal. Elsewhere shows nothing and returns false. */
  progress(text: string): boolean
  /** Ends the command's output with its error, in one line. */
  error(shown: { code: string; message: string }): void
  /** Redacts a text from everything that is printed from now on. */
  hide(text: string): void
  /** Redacts every hidden secret in a text that goes elsewhere, such as a file. */
  clean(text: string): string
}

/** The outcome of a step, which a terminal shows as a colour. */
export type Tone = keyof typeof colors

const colors = { plain: 'reset', good: 'green', warn: 'yellow', bad: 'red' } as const

export function createOutput({ stdout, stderr, isJson }: Terminal & { isJson: boolean }): Output {
  const { hide, clean } = createRedaction()
  let hasProgress = false

  const out: Output = {
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    isJson,
    line(text) {
      if (!isJson) write(stdout, visible(clean(text)))
    },
    json(value) {
      if (isJson) write(stdout, cleanJson(value))
    },
    result(value, ...lines) {
      out.json(value)
      for (const each of lines) out.line(each)
    },
    tinted(tone, text, value) {
      if (value !== undefined) out.json(value)
      if (isJson) return
      const shown = visible(clean(text))
      const hasColor = stdout.isTTY === true && !process.env['NO_COLOR'] && tone !== 'plain'
      write(stdout, hasColor ? styleText(colors[tone], shown, { validateStream: false }) : shown)
    },
    bytes(value) {
      stdout.write(value)
    },
    note(text) {
      write(stderr, visible(clean(text)))
    },
    hint(text) {
      if (!isJson) out.note(text)
    },
    warn(error) {
      out.note(`warning: ${String(Object(error).message ?? error)}`)
    },
    reveal(shown) {
      write(stdout, isJson ? JSON.stringify(shown.json) : visible(shown.line))
    },
    progress(text) {
      if (isJson || stderr.isTTY !== true) return false
      stderr.write(`\r\u001B[K${visible(clean(text)).slice(0, (stdout.columns ?? 80) - 1)}`)
      hasProgress = true
      return true
    },
    error({ code, message }) {
      const text = message.replaceAll(/\s*\n\s*/g, ' ')
      const inJson = cleanJson({ error: text, code })
      write(stderr, isJson ? inJson : `error: ${visible(clean(text))}`)
    },
    hide,
    clean,
  }
  return out

  /** As JSON whose texts are redacted. Names of members and numbers stay, whatever a password is. */
  function cleanJson(value: unknown): string {
    return JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'string' ? clean(member) : member,
    )
  }

  function write(stream: Writable, text: string): void {
    if (hasProgress) stderr.write('\r\u001B[K')
    hasProgress = false
    stream.write(`${text}\n`)
  }
}

/**
 * Removes characters that a terminal would obey from untrusted text: control characters, and marks
 * that turn the direction of the text. Newlines stay.
 */
function visible(text: string): string {
  return text.replaceAll(obeyed, '\uFFFD')
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const obeyed = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

export function createRedaction() {
  const hidden = new Set<string>()
  return { hide, clean }

  /** Redacts a text from now on, and the password alone if it is a URL. */
  function hide(text: string): void {
    if (!isSecret(text)) return
    hidden.add(text)
    // Its form within JSON, such as that of a file.
    hidden.add(JSON.stringify(text).slice(1, -1))
    if (!URL.canParse(text)) return
    const { password, username, hostname, pathname } = new URL(text)
    // Such a password protects nothing, and errors need the name of the user or the database.
    if ([username, hostname, pathname.slice(1)].includes(password)) return
    for (const form of [password, orUndefined(() => decodeURIComponent(password)) ?? '']) hide(form)
  }

  function clean(text: string): string {
    // The longest first, because one may be the beginning of another.
    return [...hidden]
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, each) => rest.replaceAll(each, '[hidden]'), text)
      .replaceAll(secretForm, '[hidden]')
  }
}

/** The prefixes of every secret and key. Any text may contain a prefix alone. */
const prefixes = ['feed_whsec_', 'feed_live_']

/** A secret or a key of the service. A prefix alone, or with a full stop after it, is none. */
const secretForm = /feed_(?:whsec|live)_(?=[^\s"'<>\\…]*[0-9a-z])[^\s"'<>\\…]+/gi

/**
 * Whether hiding a text protects anything. A text below 8 characters is no secret and occurs in
 * ordinary words. A piece of a prefix, or the name of a variable, occurs in our own messages.
 */
function isSecret(text: string): boolean {
  if (text.length < 8 || /^[A-Z]+(?:_[A-Z]+)+$/.test(text)) return false
  return !prefixes.some((prefix) => prefix.includes(text))
}
