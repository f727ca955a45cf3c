import { costOf, type Cost } from '../cost-of.ts'
import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import type { SideName } from '../open-side.ts'
import { runHandlers, type HandleRound } from '../run-handlers.ts'
import { startProcess } from '../start-process.ts'
import { compare, compareCosts, mapValues } from '../compare.ts'
import { fewLogFiles, forEach, startStoreOf, stopAll, ways, type Part } from './ways.ts'

const sides = [...ways, 'pg-boss-notify'] as const satisfies SideName[]

interface Round extends HandleRound {
  cost: Cost
}

/** Handlers that insert one row into PostgreSQL, four at a time. */
export async function compareHandling({ say, isQuick }: Part): Promise<Figure[]> {
  const rounds = isQuick ? 2 : 5
  const plan = isQuick ? { jobs: 300, lone: 4 } : { jobs: 1_000, lone: 10 }
  say('Ours, pg-boss and pg-boss-notify commit the effect with the end of its job.')
  say('With naive and bullmq an effect can happen twice. Ours also records every attempt.')
  const stores = await forEach(sides, (side) =>
    startStoreOf(side, { hasEffects: true, logFiles: fewLogFiles }),
  )
  const workers = await forEach(sides, async (side) => {
    const { databaseUrl, redisUrl } = stores[side]
    return startProcess('handle-worker.ts', [side, databaseUrl, redisUrl])
  })
  try {
    say(`handle: ${rounds} rounds of ${plan.jobs} events, and ${plan.lone} lone ones`)
    const measured = await takeTurns(sides, { rounds }, async (side): Promise<Round> => {
      const costs: Cost[] = []
      const round = await runHandlers(workers[side], plan, async (handle) => {
        const run = async () => {
          await handle()
          return plan.jobs
        }
        costs.push(await costOf(stores[side], workers[side].pid, run))
      })
      const [cost] = costs
      if (!cost) throw new Error('Nothing was handled.')
      return { ...round, cost }
    })
    return [
      ...compare('handle', '/s', measured, ({ perSecond }) => perSecond),
      ...compare('handle, lone, accept to handler', 'ms', measured, ({ loneMs }) => loneMs),
      ...compareCosts(
        'handle',
        mapValues(measured, (all) => all.map(({ cost }) => cost)),
      ),
    ]
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await stopAll(stores)
  }
}
