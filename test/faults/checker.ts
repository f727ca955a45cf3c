import { isAcknowledged, type AttemptLine } from './attempt-log.ts'

/** What a run left behind. */
export interface Evidence {
  /** How many events there were to send. */
  events: number
  /** The log of the sender. */
  attempts: readonly AttemptLine[]
  /** The effects of the handlers; `index` is null where it is of no event of this run. */
  effects: readonly Effect[]
}

export interface Effect {
  index: number | null
  /** Milliseconds since 1970. */
  at: number
}

export interface Counts {
  /** Deliveries that were begun. */
  attempts: number
  /** Events that were answered 2xx at least once. */
  acknowledged: number
  /** Events that have an effect. */
  processed: number
  /** Acknowledged, and without an effect. */
  lost: number[]
  /** Effects of what was never sent. */
  unexpected: number
  /** Events with more than one effect. */
  duplicated: number[]
  /** Processed, although the answer to the attempt that stored them never arrived. */
  recovered: number
  /** Answers that would have made the service pause the feed. */
  pausing: number
}

/** Counts in Jepsen's words, once nothing is under way any more. */
export function countOutcome({ attempts, effects }: Omit<Evidence, 'events'>): Counts {
  const sent = new Set(attempts.map(({ index }) => index))
  const acknowledged = new Set(attempts.filter(isAcknowledged).map(({ index }) => index))
  const seenStored = new Set(attempts.filter(saysStored).map(({ index }) => index))
  const runs = new Map<number, number>()
  let unexpected = 0
  for (const { index } of effects) {
    if (index === null || !sent.has(index)) unexpected += 1
    else runs.set(index, (runs.get(index) ?? 0) + 1)
  }
  const processed = [...runs.keys()]
  return {
    attempts: attempts.filter(({ kind }) => kind === 'sent').length,
    acknowledged: acknowledged.size,
    processed: processed.length,
    lost: [...acknowledged].filter((index) => !runs.has(index)),
    unexpected,
    duplicated: processed.filter((index) => (runs.get(index) ?? 0) > 1),
    recovered: processed.filter((index) => !seenStored.has(index)).length,
    pausing: attempts.filter(isPausing).length,
  }
}

function saysStored(line: AttemptLine): boolean {
  return line.kind === 'answered' && line.outcome === 'stored'
}

const pausingStatuses = [400, 401, 403, 404, 405, 410, 422]

function isPausing(line: AttemptLine): boolean {
  return line.kind === 'answered' && line.status !== null && pausingStatuses.includes(line.status)
}

/** A time in which a fault lasted, from its beginning until what it struck worked again. */
export interface Span {
  from: number
  to: number
}

/** How many effects were written while a fault lasted. */
export function countDuring(effects: readonly Effect[], spans: readonly Span[]): number {
  return effects.filter(({ at }) => spans.some(({ from, to }) => at >= from && at <= to)).length
}
