import { code, plain, table } from '../../../docs/.vitepress/reference/markdown.ts'
import { faults } from '../../chaos/faults/faults/index.ts'
import type { RunResult } from '../../chaos/faults/run-faults.ts'
import type { Strike } from '../../chaos/faults/run-plan.ts'
import { figureOf } from '../figure.ts'

export const faultsProgram = 'test/.built/test/chaos/faults/faults.js'
const usualPromise = 'Nothing that was accepted is lost, and nothing is handled twice.'

/** What was sent and what became of it. */
export function countsTable(results: readonly [name: string, result: RunResult][]): string {
  return table(
    [
      '',
      'Sent',
      'Attempts',
      'Accepted',
      'Handled',
      'Lost',
      'Doubled',
      'Recovered',
      'Late answers',
      'Left in the queue',
      'Faults',
    ],
    results.map(([name, { contender, events, counts, strikes, drained }]) => [
      name,
      ...[
        events,
        counts.attempts,
        counts.acknowledged,
        counts.processed,
        counts.lost.length,
        counts.duplicated.length,
        // The others answer a duplicate like a new event.
        contender === 'feed-receiver' ? counts.recovered : '–',
        counts.timedOut,
        drained.stillLive,
        strikes.length,
      ].map(String),
    ]),
  )
}

/** Each kind of fault with its promise and its latest proof. */
export function faultsTable(strikes: readonly Strike[]): string {
  const rows = faults.flatMap(({ name, describe, promise = usualPromise }) => {
    const ofThis = strikes.filter((strike) => strike.name === name)
    const last = ofThis.at(-1)
    if (!last) return []
    const proved = ofThis.filter(({ problem }) => problem === undefined).length
    const seen = last.problem === undefined ? (last.proof ?? '') : `Not proved: ${last.problem}`
    const times = `${proved} of ${ofThis.length}`
    return [[code(name), plain(describe), plain(promise), times, showRecovery(ofThis), plain(seen)]]
  })
  return table(['Fault', 'What happens', 'Promise', 'Proved', 'Recovery', 'The last one'], rows)
}

/** From the end of a fault until events went through again: the median, and the longest. */
export function showRecovery(strikes: readonly Strike[]): string {
  const times = strikes.flatMap(({ recoverySeconds = [] }) => recoverySeconds)
  if (times.length === 0) return '–'
  const { median } = figureOf('', 's', times)
  const longest = Math.max(...times)
  return times.length === 1
    ? `${longest.toFixed(1)} s`
    : `${median.toFixed(1)} s, at most ${longest.toFixed(1)} s`
}
