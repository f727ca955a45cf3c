import type { Counts } from './checker.ts'

export interface Judged {
  counts: Counts
  events: number
  /** How many faults were planned. */
  planned: number
  /** The injected faults, and why some are not proved. */
  strikes: readonly { name: string; problem?: string }[]
  unplannedExits: readonly string[]
  /** Events processed while a fault lasted. */
  processedDuringFaults: number
  /** Jobs that were still live when the checker stopped waiting. */
  stillLive: number
}

/** The reasons why a run is no success, in sentences; none if it counts and is clean. */
export function judge({
  counts,
  events,
  planned,
  strikes,
  unplannedExits,
  processedDuringFaults,
  stillLive,
}: Judged): string[] {
  const needed = Math.min(1_000, events / 2)
  const unproved = strikes.filter(({ problem }) => problem !== undefined)
  return [
    counts.lost.length > 0 && `Lost: ${listed(counts.lost)}.`,
    counts.duplicated.length > 0 && `Duplicated: ${listed(counts.duplicated)}.`,
    counts.unexpected > 0 && `Unexpected: ${counts.unexpected} effects of what was never sent.`,
    counts.pausing > 0 && `Answers that pause the feed: ${counts.pausing}.`,
    counts.timedOut > 0 && `Attempts without an answer within 10 s: ${counts.timedOut}.`,
    ...unplannedExits.map((exit) => `Unplanned exit: ${exit}.`),
    ...unproved.map(({ name, problem }) => `Does not count: ${name} is not proved: ${problem}.`),
    planned === 0 && 'Does not count: no fault was planned.',
    strikes.length < planned &&
      `Does not count: ${planned - strikes.length} of ${planned} faults were left out after that.`,
    processedDuringFaults < needed &&
      `Does not count: ${processedDuringFaults} events were processed while faults happened, and ` +
        `${needed} are needed.`,
    stillLive > 0 && `Does not count: ${stillLive} jobs were still live at the end of the wait.`,
    counts.acknowledged < events &&
      `Does not count: ${events - counts.acknowledged} events were never acknowledged.`,
  ].filter((problem) => problem !== false)
}

function listed(indices: readonly number[]): string {
  const some = indices.slice(0, 10).join(', ')
  return `${indices.length} events (${some}${indices.length > 10 ? ', …' : ''})`
}
