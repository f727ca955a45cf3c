import { figureOf } from '../../bench/figure.ts'
import type { Measure, Sample } from './sample.ts'

/** How much of a measure is growth and no longer noise. */
export interface Limit {
  measure: Measure
  unit: string
  /** The last fifth of a run may be so many times the second fifth, */
  times: number
  /** or be this much more, if that is larger. */
  plus: number
}

export const limits: readonly Limit[] = [
  { measure: 'receiverMiB', unit: 'MiB', times: 1.25, plus: 16 },
  { measure: 'workerMiB', unit: 'MiB', times: 1.25, plus: 16 },
  { measure: 'bytesPerEvent', unit: 'B', times: 1.25, plus: 200 },
  { measure: 'bodiesMiB', unit: 'MiB', times: 1.5, plus: 8 },
  { measure: 'answerMs', unit: 'ms', times: 1.5, plus: 5 },
  { measure: 'lagMs', unit: 'ms', times: 1.5, plus: 250 },
  { measure: 'waiting', unit: '', times: 1.5, plus: 100 },
]

export interface Growth extends Limit {
  early: number
  late: number
  hasGrown: boolean
}

/** Compares the medians of the second and of the last fifth; the first one is for warming up. */
export function compareFifths(samples: readonly Sample[]): Growth[] {
  if (samples.length < 5) throw new Error('A run needs five samples or more to show growth.')
  const fifth = (index: number) =>
    samples.slice(
      Math.floor((samples.length * index) / 5),
      Math.floor((samples.length * (index + 1)) / 5),
    )
  const [second, last] = [fifth(1), fifth(4)]
  return limits.map((limit) => {
    const median = (part: readonly Sample[]) =>
      figureOf(
        '',
        '',
        part.map((sample) => sample[limit.measure]),
      ).median
    const [early, late] = [median(second), median(last)]
    return {
      ...limit,
      early,
      late,
      hasGrown: late > Math.max(early * limit.times, early + limit.plus),
    }
  })
}
