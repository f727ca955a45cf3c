/** Attempts for each event and destination, the first one included (R234). */
export const maxAttempts = 8

/** The part of an answer that steers the next attempt; status null where none came. */
export interface RetryAnswer {
  status: number | null
  /** The `Retry-After` header. */
  retryAfter?: string | undefined
}

export interface RetryDelayOptions {
  /** Epoch milliseconds; a `Retry-After` that is a date counts from here. */
  nowMs: number
  /**
   * Stretches the backoff by a share of 10 %: called for a number from 0 to 1. `Math.random` keeps
   * many deliveries from coming back together.
   * @default () => 0
   */
  jitter?: (() => number) | undefined
}

/**
 * Milliseconds from attempt number `attempt` (the first is 1) to the next one: 30 s, doubled after
 * each attempt, at most 1 h (R235). Eight attempts are due at 0, 30, 90, 210, 450, 930, 1890 and
 * 3810 s. On a 429, and on nothing else, a usable `Retry-After` takes the place of the backoff, also
 * at most 1 h, and never stretched (R236, T14).
 *
 * @throws RangeError where `attempt` is not a whole number from 1.
 */
export function retryDelayMs(
  attempt: number,
  answer: RetryAnswer,
  { nowMs, jitter = () => 0 }: RetryDelayOptions,
): number {
  if (!Number.isInteger(attempt) || attempt < 1) {
    throw new RangeError('attempt must be a whole number; the first attempt is 1.')
  }
  const wishedMs = answer.status === 429 ? parseRetryAfter(answer.retryAfter, nowMs) : null
  if (wishedMs !== null) return Math.min(wishedMs, longestMs)
  const backoffMs = firstMs * 2 ** (attempt - 1)
  return Math.min(Math.round(backoffMs * (1 + jitter() * jitterShare)), longestMs)
}

const firstMs = 30_000
const longestMs = 3_600_000
const jitterShare = 0.1

/**
 * Reads a `Retry-After` value: whole seconds, or a date as HTTP writes it (IMF-fixdate, RFC 9110,
 * 5.6.7), which is measured against `nowMs` (epoch milliseconds).
 *
 * @returns milliseconds to wait, more than 0 and without a cap, or null where the value is missing,
 * garbled, zero, negative or past, and so to be ignored (R236).
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null
  const text = value.trim()
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - nowMs
  return waitMs > 0 ? waitMs : null
}

/** Epoch milliseconds, or NaN. Date.parse alone takes almost anything: `apples 5` is in 2001. */
function parseHttpDate(text: string): number {
  // A leap second is one that Date does not know.
  const known = text.replace(/:60 GMT$/, ':59 GMT')
  const atMs = Date.parse(known)
  if (new Date(atMs).toUTCString() !== known) return Number.NaN
  return known === text ? atMs : atMs + 1000
}
