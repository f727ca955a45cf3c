import type { LoadPlan, LoadResult } from './load.ts'
import { startBenchProgram } from './start-bench-program.ts'
import type { RunningProgram } from '../support/start-program.ts'

/** Load on a server, from separate processes, round after round. */
export interface Load {
  /** Throws if a response is not the expected one. */
  round(): Promise<LoadResult>
  stop(): void
}

/** Starts `generators` processes, which share the connections. */
export async function startLoad(plan: LoadPlan, generators = 1): Promise<Load> {
  const connections = plan.connections / generators
  const processes = Array.from({ length: generators }, () =>
    startBenchProgram('load.ts', [JSON.stringify({ ...plan, connections })]),
  )
  await Promise.all(processes.map(({ nextLine }) => nextLine()))
  return {
    async round() {
      const results = await Promise.all(
        processes.map(async ({ send, nextLine }) => {
          send('round')
          return JSON.parse(await nextLine()) as LoadResult
        }),
      )
      const result = results.reduce(join)
      const unexpected = Object.keys(result.statuses).filter((status) => !isExpected(status, plan))
      if (unexpected.length === 0) return result
      throw new Error(`The server answered ${unexpected.join(', ')}.`)
    },
    stop() {
      for (const { kill } of processes) kill()
    },
  }
}

/** Starts load on a server that prints its port. Both stop together. */
export async function startLoadOn(
  server: RunningProgram,
  plan: Omit<LoadPlan, 'port'>,
  generators = 1,
): Promise<Load> {
  const port = Number(await server.nextLine())
  const { round, stop } = await startLoad({ ...plan, port }, generators)
  return {
    round,
    stop() {
      stop()
      server.kill()
    },
  }
}

// New events are stored, and repeated ones may be duplicates.
function isExpected(status: string, { raw, newEvents }: LoadPlan): boolean {
  if (raw) return status === '200'
  return newEvents === undefined ? status.startsWith('2') : status === '202'
}

function join(one: LoadResult, other: LoadResult): LoadResult {
  const statuses = { ...one.statuses }
  for (const [status, count] of Object.entries(other.statuses)) {
    statuses[status] = (statuses[status] ?? 0) + count
  }
  return {
    requests: one.requests + other.requests,
    seconds: Math.max(one.seconds, other.seconds),
    statuses,
    latenciesMs: {
      p50: Math.max(one.latenciesMs.p50, other.latenciesMs.p50),
      p99: Math.max(one.latenciesMs.p99, other.latenciesMs.p99),
    },
  }
}
