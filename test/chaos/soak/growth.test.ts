import { expect, it } from 'vitest'
import { compareFifths } from './growth.ts'
import type { Sample } from './sample.ts'

const steady: Omit<Sample, 'at'> = {
  receiverMiB: 100,
  workerMiB: 90,
  bytesPerEvent: 2_000,
  bodiesMiB: 30,
  answerMs: 4,
  lagMs: 60,
  waiting: 2,
}

function samples(change: (share: number) => Partial<Sample> = () => ({})): Sample[] {
  return Array.from({ length: 50 }, (_, at) => ({ at, ...steady, ...change(at / 49) }))
}

const grown = (list: readonly Sample[]) =>
  compareFifths(list).flatMap(({ hasGrown, measure }) => (hasGrown ? [measure] : []))

it('finds no growth in a steady run, during warm-up, or after a peak', () => {
  expect(grown(samples())).toEqual([])
  expect(grown(samples((share) => (share < 0.15 ? { receiverMiB: 40 } : {})))).toEqual([])
  expect(grown(samples((share) => (share > 0.5 && share < 0.6 ? { lagMs: 9_000 } : {})))).toEqual(
    [],
  )
})

it('finds each measure that grows', () => {
  expect(grown(samples((share) => ({ receiverMiB: 100 + 80 * share })))).toEqual(['receiverMiB'])
  expect(grown(samples((share) => ({ workerMiB: 90 * (1 + share) })))).toEqual(['workerMiB'])
  expect(grown(samples((share) => ({ bytesPerEvent: 2_000 * (1 + share) })))).toEqual([
    'bytesPerEvent',
  ])
  expect(grown(samples((share) => ({ bodiesMiB: 30 + 60 * share })))).toEqual(['bodiesMiB'])
  expect(grown(samples((share) => ({ answerMs: 4 + 30 * share })))).toEqual(['answerMs'])
  expect(grown(samples((share) => ({ lagMs: 60 + 3_000 * share })))).toEqual(['lagMs'])
  expect(grown(samples((share) => ({ waiting: 5_000 * share })))).toEqual(['waiting'])
})

it('does not evaluate a run that is too short', () => {
  expect(() => compareFifths(samples().slice(0, 4))).toThrow('needs five samples or more')
})
