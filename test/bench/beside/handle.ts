import { costOf, type Cost } from '../cost-of.ts'
import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import { contenderNames } from '../contenders/contenders.ts'
import type { HandleContenderName } from '../handle-contender.ts'
import { runHandlers, type HandleRound } from '../run-handlers.ts'
import { startBenchProgram } from '../start-bench-program.ts'
import { compare, compareCosts, mapValues } from '../compare.ts'
import { fewLogFiles, forEach, startStoreOf, stopAll, type Part } from './contender-server.ts'

const names: HandleContenderName[] = [...contenderNames, 'pg-boss-notify']

interface Round extends HandleRound {
  cost: Cost
}

/** Handlers that insert one row into PostgreSQL, four at a time. */
export async function compareHandling({ say, isQuick }: Part): Promise<Figure[]> {
  const rounds = isQuick ? 2 : 5
  const plan = isQuick ? { jobs: 300, lone: 4 } : { jobs: 1_000, lone: 10 }
  say('feed-receiver, pg-boss and pg-boss-notify commit the effect with the end of its job.')
  say('With naive and bullmq an effect can happen twice. feed-receiver also records every attempt.')
  const stores = await forEach(names, (name) =>
    startStoreOf(name, { hasEffects: true, logFiles: fewLogFiles }),
  )
  const workers = await forEach(names, async (name) => {
    const { databaseUrl, redisUrl } = stores[name]
    return startBenchProgram('handle-worker.ts', [name, databaseUrl, redisUrl])
  })
  try {
    say(`handle: ${rounds} rounds of ${plan.jobs} events, and ${plan.lone} lone ones`)
    const measured = await takeTurns(names, { rounds }, async (name): Promise<Round> => {
      const costs: Cost[] = []
      const round = await runHandlers(workers[name], plan, async (handle) => {
        const run = async () => {
          await handle()
          return plan.jobs
        }
        costs.push(await costOf(stores[name], workers[name].pid, run))
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
