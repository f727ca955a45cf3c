import { setTimeout as delay } from 'node:timers/promises'
import { redact } from '@feed-receiver/core'
import { checkOption, fill } from '../errors.ts'
import json from './failures.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

/** An entry that is dead: its handler is not run again unless somebody retries it. */
export interface DeadEntry {
  /** For `inbox.entries.get(eventId)`, which has the event and the stack of the error. */
  eventId: string
  /** The type of the event. */
  type: string
  entryId: number
  /** The attempt that failed: 1 for the first run of the handler, one more for each retry. */
  attempt: number
  maxAttempts: number
  /** What the handler threw. Of a killed process, what the queue knows, or an error that says so. */
  error: unknown
}

/** An attempt that failed, and is not the last one. */
export interface FailedAttempt extends DeadEntry {
  /** When the next attempt is due, by the clock of the database. */
  nextAttemptAt: Date
}

export interface FailureOptions {
  /**
   * Called for each failed attempt that another one follows, once its failure is stored. What it throws
   * goes to `onError`. Not called for an attempt whose process was killed.
   * @default writes one line to stderr
   */
  onFailed?: ((failure: FailedAttempt) => unknown) | undefined
  /**
   * Called in place of `onFailed` when an entry is dead: its last attempt failed, or its handler threw
   * `Permanent`. What it throws goes to `onError`.
   * @default writes one line to stderr, with the command that retries the entry
   */
  onDead?: ((dead: DeadEntry) => unknown) | undefined
}

/** Tells the app what failed; handling never waits for it, and it cannot fail. */
export type Reports = ReturnType<typeof createReports>

/** How long a drain or a stop waits for what was called. */
const patienceMs = 2_000

export function createReports(
  options: FailureOptions,
  { source, onError }: { source: string; onError: (error: unknown) => void },
) {
  const { onFailed = printFailed, onDead = (dead) => printDead(dead, source) } = options
  checkOption(typeof onFailed === 'function', 'onFailed: use a function.')
  checkOption(typeof onDead === 'function', 'onDead: use a function.')
  const telling = new Set<Promise<void>>()

  return {
    failed: (failure: FailedAttempt) => tell(async () => onFailed(failure)),
    dead: (dead: DeadEntry) => tell(async () => onDead(dead)),
    /** Waits a moment for what was called, since a process may end behind a drain or a stop. */
    async told(): Promise<void> {
      if (telling.size === 0) return
      const patience = new AbortController()
      const all = Promise.all(telling).then(() => patience.abort())
      const { signal } = patience
      await Promise.race([all, delay(patienceMs, undefined, { signal }).catch(() => undefined)])
    },
  }

  function tell(call: () => Promise<unknown>): void {
    const told = call()
      .catch(onError)
      .then(() => void telling.delete(told))
    telling.add(told)
  }
}

function printFailed({ nextAttemptAt, ...failure }: FailedAttempt): void {
  print('failed', failure, { next: whenDue(nextAttemptAt) })
}

function printDead(dead: DeadEntry, source: string): void {
  const options = source === 'feed' ? '' : `--source ${source} `
  print('dead', dead, { target: options + quote(oneLine(dead.eventId, 255)) })
}

function print(name: 'failed' | 'dead', failure: DeadEntry, values: Record<string, string>): void {
  const { type, eventId, attempt, maxAttempts } = failure
  const event = oneLine(`${type} ${eventId}`, 400)
  // A handler may put an address with a password into its error.
  const error = oneLine(redact(nameError(failure.error)), 300)
  const line = fill(texts[name], { event, attempt, maxAttempts, error, ...values })
  process.stderr.write(`feed-receiver: ${line}\n`)
}

/** The error of an attempt that the queue ended in place of its process, by the queue's words. */
export function unfinished(cause: string): string {
  return fill(texts.unfinished, { cause })
}

function nameError(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `It threw: ${String(error)}`
    const { name, message, cause } = error
    return cause instanceof Error ? `${name}: ${message} (${cause.message})` : `${name}: ${message}`
  } catch {
    return 'What it threw cannot be shown.'
  }
}

/** Without what moves the cursor of a terminal or turns the direction of its text. */
function oneLine(text: string, maxLength: number): string {
  const flat = text
    .slice(0, 4 * maxLength)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}]+/gu, ' ')
    .trim()
  return flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 1).toWellFormed()}…`
}

/** As one word of a shell: the id was chosen elsewhere. */
function quote(id: string): string {
  return /^\w[\w.:-]*$/.test(id) ? id : `-- '${id.replaceAll("'", `'\\''`)}'`
}

// The clock of the database may differ from ours, and then only the time itself is true.
function whenDue(at: Date): string {
  const seconds = Math.ceil((at.getTime() - Date.now()) / 1_000)
  return seconds >= 0 && seconds <= 120 ? `in ${seconds} s` : `at ${at.toISOString()}`
}
