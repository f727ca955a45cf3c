import type { Clock } from '@feed-receiver/core/node'
import { usageSchema } from './api/index.ts'
import { ClientError } from './errors.ts'
import { backoffMs, deadlineIn, waitUntil, type Deadline } from './wait.ts'

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

interface LimiterOptions {
  clock: Clock
  requestsPerMinute: number
  random: (() => number) | undefined
}

/** Keeps all requests of one client within the limits of the service. */
export function createRateLimiter({ clock, requestsPerMinute, random }: LimiterOptions) {
  let blocked: RateLimit['blocked'] = null
  let blockEnd: Deadline = deadlineIn(0, clock)
  const rateLimit: RateLimit = {
    usagePeriod: null,
    burst: null,
    get blocked() {
      return blockEnd.leftMs() > 0 ? blocked : null
    },
  }
  /** When each request of the last minute is a minute old, the oldest one first. */
  const minute: Deadline[] = []
  let rejectedInARow = 0

  return {
    rateLimit,

    /**
     * Waits until the next request is allowed, and returns for how many milliseconds. Errors:
     * `rate_limited` if that is longer than `maxWaitMs` in all.
     */
    async pass(maxWaitMs: number, signal: AbortSignal): Promise<number> {
      let waitedMs = 0
      for (;;) {
        if (!rateLimit.blocked) checkMinute()
        const current = rateLimit.blocked
        if (!current) break
        const leftMs = Math.max(0, blockEnd.leftMs())
        if (waitedMs + leftMs > maxWaitMs) throw rateLimited(current.scope, clock.now() + leftMs)
        await waitUntil(blockEnd, clock, signal)
        waitedMs += leftMs
      }
      minute.push(deadlineIn(60_000, clock))
      return waitedMs
    },

    /** Notes what the headers of an answer say. */
    note({ status, headers }: { status: number; headers: Headers }): void {
      rateLimit.usagePeriod = readAllowance(headers, 'x-ratelimit') ?? rateLimit.usagePeriod
      rateLimit.burst = readAllowance(headers, 'x-ratelimit-burst') ?? rateLimit.burst
      if (status !== 429) {
        rejectedInARow = 0
        return
      }
      // Of requests in flight together, only the first one makes the next wait longer.
      if (!rateLimit.blocked) rejectedInARow += 1
      const { scope, waitMs } = readBlock(headers)
      // A service that keeps answering 429 gets fewer requests, however short its waits are.
      block(
        scope,
        rejectedInARow > 1 ? Math.max(waitMs, backoffMs(rejectedInARow, random)) : waitMs,
      )
    },
  }

  /** A sliding window: a fixed one would let two bursts through, one before and one after its end. */
  function checkMinute(): void {
    while (minute[0] && minute[0].leftMs() <= 0) minute.shift()
    if (minute[0] && minute.length + 1 > requestsPerMinute) block('burst', minute[0].leftMs())
  }

  function block(scope: LimitScope, waitMs: number): void {
    if (blockEnd.leftMs() >= waitMs) return
    blockEnd = deadlineIn(waitMs, clock)
    blocked = { scope, until: new Date(clock.now() + waitMs) }
  }
}

function rateLimited(scope: LimitScope, untilMs: number): ClientError {
  const until = new Date(untilMs)
  const name = scope === 'usage_period' ? 'The monthly quota' : 'The rate limit per minute'
  return new ClientError(
    'rate_limited',
    `${name} is used up. Retry at ${until.toISOString()}; the service rejects earlier requests.`,
    { status: 429, retryAt: until },
  )
}

/** Reads the three headers of one limit; null if one is missing or malformed. */
function readAllowance(
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
function readBlock(headers: Headers): { scope: LimitScope; waitMs: number } {
  const scope = headers.get('x-ratelimit-scope') ?? 'unknown'
  const seconds = readWhole(headers.get('retry-after')) ?? defaultWaitSeconds
  const waitSeconds = Math.min(Math.max(seconds, 1), longestWaitSeconds)
  return { scope, waitMs: waitSeconds * 1_000 }
}

// Without a usable Retry-After: the window of the burst limit.
const defaultWaitSeconds = 60

// No period is longer than a month.
const longestWaitSeconds = 31 * 86_400
/** The longest wait for a rate limit that a service can ask for. */
export const longestWaitMs = longestWaitSeconds * 1_000

function readWhole(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/.test(value.trim()) ? Number(value) : null
}
