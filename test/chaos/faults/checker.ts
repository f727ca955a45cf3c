import { isAcknowledged, type AttemptLine } from './attempt-log.ts'

/** The evidence that a run leaves. */
export interface Evidence {
  /** The number of events to send. */
  events: number
  /** The log of the sender. */
  attempts: readonly AttemptLine[]
  /** The effects of the handlers. `index` is null if the event is not one of this run. */
  effects: readonly Effect[]
}

export interface Effect {
  index: number | null
  /** Milliseconds since 1970. */
  at: number
}

export interface Counts {
  /** Attempts that were sent. */
  attempts: number
  /** Events with at least one 2xx response. */
  acknowledged: number
  /** Events with an effect. */
  processed: number
  /** Acknowledged events without an effect. */
  lost: number[]
  /** Effects of events that were never sent. */
  unexpected: number
  /** Events with more than one effect. */
  duplicated: number[]
  /** Processed events for which the response to the attempt that stored them never arrived. */
  recovered: number
  /** Responses that would make the service pause the feed. */
  pausing: number
  /** Attempts without a response within the 10 s that the service waits. */
  timedOut: number
}

/** Counts in Jepsen's terms, once nothing is in flight. */
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
    timedOut: attempts.filter((line) => line.kind === 'answered' && line.outcome === 'timeout')
      .length,
  }
}

function saysStored(line: AttemptLine): boolean {
  return line.kind === 'answered' && line.outcome === 'stored'
}

const pausingStatuses = [400, 401, 403, 404, 405, 410, 422]

function isPausing(line: AttemptLine): boolean {
  return line.kind === 'answered' && line.status !== null && pausingStatuses.includes(line.status)
}

/** The time of a fault, from its beginning until the affected part worked again. */
export interface Span {
  from: number
  to: number
}

/** How many effects were written while a fault lasted. */
export function countDuring(effects: readonly Effect[], spans: readonly Span[]): number {
  return effects.filter(({ at }) => spans.some(({ from, to }) => at >= from && at <= to)).length
}
