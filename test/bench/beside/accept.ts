import type { Store } from '../bench-store.ts'
import { costOf, type Cost } from '../cost-of.ts'
import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import type { LoadPlan, LoadResult } from '../load.ts'
import { startLoad } from '../start-load.ts'
import type { RunningProgram } from '../../support/start-program.ts'
import { compare, compareCosts, compareLoads, mapValues } from '../compare.ts'
import { contenderNames, type ContenderName } from '../contenders/contenders.ts'
import {
  fewLogFiles,
  forEach,
  secret,
  startServer,
  startStoreOf,
  stopAll,
  type Part,
} from './contender-server.ts'

const manyConnections = [1, 8, 64, 256]
/** At this many connections the costs of an event are measured, too. */
const costAt = 64
const counted = 2_000

interface Server extends RunningProgram {
  port: number
  store: Store
}

/** Accepting new events on servers of data that persist as in production. */
export async function compareAccepting({ say, isQuick }: Part): Promise<Figure[]> {
  const { rounds, seconds } = isQuick ? { rounds: 3, seconds: 0.4 } : { rounds: 10, seconds: 0.75 }
  const logFiles = isQuick ? fewLogFiles : undefined
  say(
    'feed-receiver also has a deadline of 8 s, quarantine, and notes who signed and every duplicate.',
  )
  say('bullmq may lose what it accepted since its last snapshot. The others have it on disk.')
  const stores = await forEach(contenderNames, (name) => startStoreOf(name, { logFiles }))
  const servers = await forEach(contenderNames, async (name): Promise<Server> => {
    const server = startServer(name, stores[name])
    return { ...server, port: Number(await server.nextLine()), store: stores[name] }
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
  servers: Record<ContenderName, Server>,
  plan: Omit<LoadPlan, 'port'>,
  rounds: number,
): Promise<Record<ContenderName, Round[]>> {
  const loads = await forEach(contenderNames, (name) =>
    startLoad({ ...plan, port: servers[name].port }),
  )
  const measured = await takeTurns(contenderNames, { rounds }, async (name): Promise<Round> => {
    let result: LoadResult | undefined
    const cost = await costOf(servers[name].store, servers[name].pid, async () => {
      result = await loads[name].round()
      return result.requests
    })
    if (!result) throw new Error('There was no round.')
    return { result, cost }
  })
  await stopAll(loads)
  return measured
}

async function countStatements(servers: Record<ContenderName, Server>): Promise<Figure[]> {
  const counts = {} as Record<ContenderName, number[]>
  for (const name of contenderNames) {
    const { port, store } = servers[name]
    const plan = { port, connections: costAt, seconds: 60, requests: counted, secret }
    const load = await startLoad({ ...plan, newEvents: 'counted' })
    counts[name] = [(await store.countStatements(() => load.round())) / counted]
    load.stop()
  }
  return compare(`accept at ${costAt}, statements`, 'each', counts, (count) => count)
}
