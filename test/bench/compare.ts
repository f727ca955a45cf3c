import type { Cost } from './cost-of.ts'
import { figureOf, type Figure } from './figure.ts'
import { ratios } from './interleave.ts'
import type { LoadResult } from './load.ts'

/** What is measured of each contender, by the name of the figure. */
export type Measure<Result> = (result: Result) => number

/** A figure for each contender, and the ratio of this kit to every other one. */
export function compare<Name extends string, Result>(
  title: string,
  unit: string,
  measured: Record<Name, Result[]>,
  pick: Measure<Result>,
  goals: Readonly<Record<string, Figure['goal']>> = {},
): Figure[] {
  const contenders = Object.entries<Result[]>(measured).map(
    ([name, results]) => [name, results.map(pick)] as const,
  )
  const [, ours = []] = contenders.find(([contender]) => contender === 'feed-receiver') ?? []
  const others = contenders.filter(([contender]) => contender !== 'feed-receiver')
  return [
    ...contenders.map(([contender, values]) => ({
      ...figureOf(`${title}: ${contender}`, unit, values),
      of: { title, contender },
    })),
    ...others.map(([contender, values]) => ({
      ...figureOf(
        `${title}: feed-receiver to ${contender}`,
        '×',
        ratios(ours, values),
        goals[contender],
      ),
      of: { title, contender, ratioOf: unit },
    })),
  ]
}

/** The rate and the latencies of rounds of load. */
export function compareLoads<Name extends string>(
  title: string,
  measured: Record<Name, LoadResult[]>,
): Figure[] {
  return [
    ...compare(title, '/s', measured, rateOf),
    ...compare(`${title}, p50`, 'ms', measured, ({ latenciesMs }) => latenciesMs.p50),
    ...compare(`${title}, p99`, 'ms', measured, ({ latenciesMs }) => latenciesMs.p99),
  ]
}

export function rateOf({ requests, seconds }: LoadResult): number {
  return requests / seconds
}

/** What an event costs. A contender without PostgreSQL, Redis or a log has no figure of it. */
export function compareCosts<Name extends string>(
  title: string,
  measured: Record<Name, Cost[]>,
): Figure[] {
  const costs = [
    ['CPU of Node', 'µs', 'nodeUs'],
    ['CPU of PostgreSQL', 'µs', 'postgresUs'],
    ['CPU of Redis', 'µs', 'redisUs'],
    ['log', 'B', 'logBytes'],
  ] as const
  const all = ({ nodeUs, postgresUs, redisUs }: Cost) => nodeUs + postgresUs + redisUs
  return [
    ...costs
      .flatMap(([what, unit, key]) =>
        compare(`${title}, ${what}`, unit, measured, (cost) => cost[key]),
      )
      .filter(({ median }) => median > 0 && Number.isFinite(median)),
    ...compare(`${title}, CPU in all`, 'µs', measured, all),
  ]
}

export function mapValues<Name extends string, From, To>(
  values: Record<Name, From>,
  map: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(values).map(([name, value]) => [name, map(value)])
  return Object.fromEntries(entries) as Record<Name, To>
}
