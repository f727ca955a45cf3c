import { setTimeout as delay } from 'node:timers/promises'
import { redact, isError } from '@feed-receiver/core'
import { checkOption, fill } from '../errors.ts'
import json from './failures.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** A dead entry: its handler does not run again unless somebody retries it. */
export interface DeadEntry {
  /** For `inbox.entries.get(eventId)`, which returns the event and the stack of the error. */
  eventId: string
  /** The type of the event. */
  type: string
  entryId: number
  /** The attempt that failed: 1 for the first run of the handler, one more for each retry. */
  attempt: number
  maxAttempts: number
  /**
   * The error that the handler threw. After a killed process, the queue's record of it, or an error
   * that says so.
   */
  error: unknown
}

/** A failed attempt that another one follows. */
export interface FailedAttempt extends DeadEntry {
  /** When the next attempt is due, by the database's clock. */
  nextAttemptAt: Date
}

export interface FailureOptions {
  /**
   * Called for each failed attempt that will be retried, once the failure is stored. Its own errors
   * go to `onError`. Not called for an attempt whose process was killed.
   * @default writes one line to stderr
   */
  onFailed?: ((failure: FailedAttempt) => unknown) | undefined
  /**
   * Called instead of `onFailed` when an entry is dead: its last attempt failed, or its handler
   * threw `Permanent`. Its own errors go to `onError`.
   * @default writes one line to stderr, with the command that retries the entry
   */
  onDead?: ((dead: DeadEntry) => unknown) | undefined
}

/** Reports failures to the app. Handling never waits for a report, and a report cannot fail. */
export type Reports = ReturnType<typeof createReports>

/** How long a drain or a stop waits for callbacks. */
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
    /** Waits briefly for callbacks, because a process may exit after a drain or a stop. */
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
  // An error of a handler may contain a URL with a password.
  const error = oneLine(redact(nameError(failure.error)), 300)
  const line = fill(texts[name], { event, attempt, maxAttempts, error, ...values })
  process.stderr.write(`feed-receiver: ${line}\n`)
}

/**
 * The error of an attempt that the queue failed because its process is gone, from the queue's
 * record.
 */
export function unfinished(cause: string): string {
  return fill(texts.unfinished, { cause })
}

function nameError(error: unknown): string {
  try {
    if (!isError(error)) return `It threw: ${String(error)}`
    const { name, message, cause } = error
    const text = `${head(name)}: ${head(message)}`
    return isError(cause) ? `${text} (${head(cause.message)})` : text
  } catch {
    return 'It threw a value that cannot be shown.'
  }
}

// Joined texts of megabytes would be copied.
function head(text: unknown): string {
  return String(text).slice(0, 1_000)
}

/** Removes characters that move the cursor of a terminal or turn the direction of its text. */
function oneLine(text: string, maxLength: number): string {
  const flat = text
    .slice(0, 4 * maxLength)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}]+/gu, ' ')
    .trim()
  return flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 1).toWellFormed()}…`
}

/** Quotes the id as one word of a shell, because the sender chose it. */
function quote(id: string): string {
  return /^\w[\w.:-]*$/.test(id) ? id : `-- '${id.replaceAll("'", `'\\''`)}'`
}

// The database's clock may differ from ours. Then only the absolute time is correct.
function whenDue(at: Date): string {
  const seconds = Math.ceil((at.getTime() - Date.now()) / 1_000)
  return seconds >= 0 && seconds <= 120 ? `in ${seconds} s` : `at ${at.toISOString()}`
}
