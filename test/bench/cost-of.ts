import type { Store, StoreUse } from './bench-store.ts'
import { cpuTime } from './cpu-time.ts'
import { figureOf, type Figure } from './figure.ts'

/** What one event costs, in processor time of Node and of its servers of data, and in their log. */
export interface Cost extends StoreUse {
  nodeUs: number
}

/** Runs something, and divides what it cost by the number of its events. */
export async function costOf(
  store: Store,
  nodePid: number | undefined,
  run: () => Promise<number>,
): Promise<Cost> {
  const read = async () => ({
    nodeUs: nodePid === undefined ? 0 : cpuTime(nodePid),
    ...(await store.use()),
  })
  const before = await read()
  const events = await run()
  const after = await read()
  const perEvent = (key: keyof Cost) => (after[key] - before[key]) / events
  return {
    nodeUs: perEvent('nodeUs'),
    postgresUs: perEvent('postgresUs'),
    redisUs: perEvent('redisUs'),
    logBytes: perEvent('logBytes'),
  }
}

/** The figures of the costs of all rounds, but for servers that the contender does not have. */
export function costFigures(name: string, costs: readonly Cost[]): Figure[] {
  const each = (key: keyof Cost) => costs.map((cost) => cost[key])
  return [
    figureOf(`${name}: Node`, 'µs', each('nodeUs')),
    figureOf(`${name}: PostgreSQL`, 'µs', each('postgresUs')),
    figureOf(`${name}: Redis`, 'µs', each('redisUs')),
    figureOf(`${name}: log`, 'B', each('logBytes')),
  ].filter(({ name: what, high }) => !/: (PostgreSQL|Redis)$/.test(what) || high > 0)
}
