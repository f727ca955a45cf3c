import { usageSchema } from '@feed-receiver/core/api'

/** One of the two limits, from the headers of the latest answer. */
export interface Allowance {
  limit: number
  remaining: number
  resetsAt: Date
}

export type LimitScope = 'burst' | 'usage_period' | (string & {})

/** The rate limits that the service has reported. */
export interface RateLimit {
  /** The monthly quota; the same numbers as in `usage`. */
  usagePeriod: Allowance | null
  /** The limit per minute. */
  burst: Allowance | null
  /** Set while no request is allowed, with the time when that ends. */
  blocked: { scope: LimitScope; until: Date } | null
}

/** Reads the three headers of one limit; null if one is missing or malformed. */
export function readAllowance(
  headers: Headers,
  prefix: 'x-ratelimit' | 'x-ratelimit-burst',
): Allowance | null {
  const limit = readWhole(headers.get(`${prefix}-limit`))
  const remaining = readWhole(headers.get(`${prefix}-remaining`))
  // A date-time, unlike the epoch seconds of other services.
  const reset = usageSchema.shape.resetsAt.safeParse(headers.get(`${prefix}-reset`))
  if (limit === null || remaining === null || !reset.success) return null
  return { limit, remaining, resetsAt: new Date(reset.data) }
}

/** Reads a 429: the limit it is about, and the wait. Only these two headers count. */
export function readBlock(headers: Headers, nowMs: number): { scope: LimitScope; until: Date } {
  const scope = headers.get('x-ratelimit-scope') ?? 'unknown'
  const seconds = readWhole(headers.get('retry-after')) ?? secondsUntold
  const waitSeconds = Math.min(Math.max(seconds, 1), longestWaitSeconds)
  return { scope, until: new Date(nowMs + waitSeconds * 1_000) }
}

// Without a usable Retry-After: the window of the burst limit.
const secondsUntold = 60

// No period is longer than a month.
const longestWaitSeconds = 31 * 86_400

function readWhole(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/.test(value.trim()) ? Number(value) : null
}
