/** Attempts for each event and destination, including the first. */
export const maxAttempts = 8

/** The parts of an answer that control the next attempt; status null if there was no answer. */
export interface RetryAnswer {
  status: number | null
  /** The `Retry-After` header. */
  retryAfter?: string | undefined
}

export interface RetryDelayOptions {
  /** Epoch milliseconds; a `Retry-After` that is a date counts from here. */
  nowMs: number
  /**
   * Adds jitter of up to 10 % to the backoff; returns a number from 0 to 1. `Math.random` spreads
   * the retries of many deliveries.
   * @default () => 0
   */
  jitter?: (() => number) | undefined
}

/**
 * The delay in milliseconds from attempt number `attempt` (the first is 1) to the next one: 30 s,
 * doubled after each attempt, at most 1 h. Eight attempts are due at 0, 30, 90, 210, 450,
 * 930, 1890 and 3810 s. For a 429 only, a usable `Retry-After` replaces the backoff, also at most
 * 1 h and without jitter.
 *
 * @throws RangeError if `attempt` is not a whole number from 1.
 */
export function retryDelayMs(
  attempt: number,
  answer: RetryAnswer,
  { nowMs, jitter = () => 0 }: RetryDelayOptions,
): number {
  if (!Number.isInteger(attempt) || attempt < 1) {
    throw new RangeError(`attempt must be a whole number from 1, but it is ${attempt}.`)
  }
  const requestedMs = answer.status === 429 ? parseRetryAfter(answer.retryAfter, nowMs) : null
  if (requestedMs !== null) return Math.min(requestedMs, longestMs)
  const backoffMs = firstMs * 2 ** (attempt - 1)
  return Math.min(Math.round(backoffMs * (1 + jitter() * jitterShare)), longestMs)
}

const firstMs = 30_000
const longestMs = 3_600_000
const jitterShare = 0.1

/**
 * Parses a `Retry-After` value: whole seconds, or an HTTP date (IMF-fixdate, RFC 9110, 5.6.7),
 * which is measured against `nowMs` (epoch milliseconds).
 *
 * @returns the wait in milliseconds, more than 0 and without a cap. Null, to be ignored, if the
 * value is missing, malformed, zero, negative or in the past.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null
  const text = value.trim()
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - nowMs
  return waitMs > 0 ? waitMs : null
}

/** Epoch milliseconds, or NaN. Date.parse alone accepts almost anything: `apples 5` is in 2001. */
function parseHttpDate(text: string): number {
  // Date does not support leap seconds.
  const known = text.replace(/:60 GMT$/, ':59 GMT')
  const atMs = Date.parse(known)
  if (new Date(atMs).toUTCString() !== known) return Number.NaN
  return known === text ? atMs : atMs + 1000
}
