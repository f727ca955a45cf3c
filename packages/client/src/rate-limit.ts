import { usageSchema } from '@feed-receiver/core/api'

/** One of the two limits, as the headers of the latest answer gave it. */
export interface Allowance {
  limit: number
  remaining: number
  resetsAt: Date
}

export type LimitScope = 'burst' | 'usage_period' | (string & {})

/** What the service has said about how much may be asked of it. */
export interface RateLimit {
  /** The month's; the same numbers as in `usage`. */
  usagePeriod: Allowance | null
  /** The minute's. */
  burst: Allowance | null
  /** Set while no request may be made, and until when. */
  blocked: { scope: LimitScope; until: Date } | null
}

/** Reads the three headers of one limit; null where they are not all there and well-formed. */
export function readAllowance(
  headers: Headers,
  prefix: 'x-ratelimit' | 'x-ratelimit-burst',
): Allowance | null {
  const limit = readWhole(headers.get(`${prefix}-limit`))
  const remaining = readWhole(headers.get(`${prefix}-remaining`))
  // A date-time, unlike the epoch seconds that other services send.
  const reset = usageSchema.shape.resetsAt.safeParse(headers.get(`${prefix}-reset`))
  if (limit === null || remaining === null || !reset.success) return null
  return { limit, remaining, resetsAt: new Date(reset.data) }
}

/** Reads a 429: which limit, and for how long. Only these two headers count. */
export function readBlock(headers: Headers, nowMs: number): { scope: LimitScope; until: Date } {
  const scope = headers.get('x-ratelimit-scope') ?? 'unknown'
  const seconds = readWhole(headers.get('retry-after')) ?? secondsUntold
  const waitSeconds = Math.min(Math.max(seconds, 1), longestWaitSeconds)
  return { scope, until: new Date(nowMs + waitSeconds * 1_000) }
}

// Where no usable Retry-After came: the burst limit's window.
const secondsUntold = 60

// No period is longer than a month.
const longestWaitSeconds = 31 * 86_400

function readWhole(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/.test(value.trim()) ? Number(value) : null
}
