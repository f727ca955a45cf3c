import type { Store } from '../bench-store.ts'
import { costOf, type Cost } from '../cost-of.ts'
import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import type { LoadPlan, LoadResult } from '../load.ts'
import { startLoad } from '../start-load.ts'
import type { BenchProcess } from '../start-process.ts'
import { compare, compareCosts, compareLoads, mapValues } from '../compare.ts'
import {
  fewLogFiles,
  forEach,
  secret,
  startServer,
  startStoreOf,
  stopAll,
  ways,
  type Part,
  type Way,
} from './ways.ts'

const manyConnections = [1, 8, 64, 256]
/** At this many connections the costs of an event are measured, too. */
const costAt = 64
const counted = 2_000

interface Server extends BenchProcess {
  port: number
  store: Store
}

/** Accepting new events on servers of data that persist as in production. */
export async function compareAccepting({ say, isQuick }: Part): Promise<Figure[]> {
  const { rounds, seconds } = isQuick ? { rounds: 3, seconds: 0.4 } : { rounds: 10, seconds: 0.75 }
  const logFiles = isQuick ? fewLogFiles : undefined
  say('Ours also has a deadline of 8 s, quarantine, and notes who signed and every duplicate.')
  say('bullmq may lose what it accepted since its last snapshot. The others have it on disk.')
  const stores = await forEach(ways, (way) => startStoreOf(way, { logFiles }))
  const servers = await forEach(ways, async (way): Promise<Server> => {
    const server = startServer(way, stores[way])
    return { ...server, port: Number(await server.nextLine()), store: stores[way] }
  })
  try {
    const figures: Figure[] = []
    for (const connections of manyConnections) {
      say(`accept: ${rounds} rounds of ${seconds} s at ${connections} connections`)
      const plan = { connections, seconds, secret, newEvents: `at_${connections}` }
      const measured = await measureLoads(servers, plan, rounds)
      const title = `accept at ${connections}`
      const results = mapValues(measured, (all) => all.map(({ result }) => result))
      figures.push(...compareLoads(title, results))
      if (connections === costAt) {
        figures.push(
          ...compareCosts(
            title,
            mapValues(measured, (all) => all.map(({ cost }) => cost)),
          ),
        )
      }
    }
    say(`accept: counting the statements of ${counted} events at ${costAt} connections`)
    return [...figures, ...(await countStatements(servers))]
  } finally {
    for (const { kill } of Object.values(servers)) kill()
    await stopAll(stores)
  }
}

interface Round {
  result: LoadResult
  cost: Cost
}

async function measureLoads(
  servers: Record<Way, Server>,
  plan: Omit<LoadPlan, 'port'>,
  rounds: number,
): Promise<Record<Way, Round[]>> {
  const loads = await forEach(ways, (way) => startLoad({ ...plan, port: servers[way].port }))
  const measured = await takeTurns(ways, { rounds }, async (way): Promise<Round> => {
    let result: LoadResult | undefined
    const cost = await costOf(servers[way].store, servers[way].pid, async () => {
      result = await loads[way].round()
      return result.requests
    })
    if (!result) throw new Error('There was no round.')
    return { result, cost }
  })
  await stopAll(loads)
  return measured
}

async function countStatements(servers: Record<Way, Server>): Promise<Figure[]> {
  const counts = {} as Record<Way, number[]>
  for (const way of ways) {
    const { port, store } = servers[way]
    const plan = { port, connections: costAt, seconds: 60, requests: counted, secret }
    const load = await startLoad({ ...plan, newEvents: 'counted' })
    counts[way] = [(await store.countStatements(() => load.round())) / counted]
    load.stop()
  }
  return compare(`accept at ${costAt}, statements`, 'each', counts, (count) => count)
}
