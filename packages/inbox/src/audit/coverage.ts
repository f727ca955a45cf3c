import type { AuditPeriod } from './period.ts'
import type { AuditStream } from './read-around.ts'

/**
 * How much of a period pull has read: `whole` if one stream has read all of it without a gap, with
 * the filters in its name; `part` or `none` otherwise.
 */
export type PullCoverage = 'whole' | 'part' | 'none'

/** A poller asks every few minutes. An hour without an answer is an outage. */
const mostLagMs = 3_600_000

export function coverageOf(period: AuditPeriod, streams: readonly AuditStream[]): PullCoverage {
  if (streams.some((stream) => coversAll(period, stream))) return 'whole'
  const { from, until } = period
  const isPart = streams.some(
    ({ startedAt, polledAt }) => startedAt < until && polledAt !== null && polledAt > from,
  )
  return isPart ? 'part' : 'none'
}

function coversAll(
  { from, until, isPartial }: AuditPeriod,
  { startedAt, polledAt, gaps }: AuditStream,
): boolean {
  if (polledAt === null || startedAt > from || gaps.length > 0) return false
  return Date.parse(polledAt) >= Date.parse(until) - (isPartial ? mostLagMs : 0)
}
