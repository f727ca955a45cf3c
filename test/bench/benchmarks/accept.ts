/**
 * Accepting new events on a real PostgreSQL. Compares the inbox with the same app on the memory
 * inbox, and with handwritten code from pg-boss's documentation.
 */
import { startWarmPostgres } from '../warm-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import type { LoadResult } from '../load.ts'
import { startLoadOn, type Load } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const frameworks = ['express', 'fastify']
const contenders = ['feed-receiver', 'memory', 'pg-boss'] as const
const secret = 'feed_whsec_benchmark_0123456789abcdef'
const rounds = 20
const warmUps = 4
const seconds = 0.75

/** For the rate at many connections, to pg-boss. */
const goals: Record<string, { atLeast: number }> = {
  express: { atLeast: 3.4 },
  fastify: { atLeast: 5 },
}

type Contender = (typeof contenders)[number]
type Measured = Record<Contender, LoadResult[]>

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  try {
    const figures: Figure[] = []
    for (const framework of parts.length > 0 ? parts : frameworks) {
      for (const connections of [64, 1]) {
        say(`${framework}: ${rounds} rounds of ${seconds} s at ${connections} connections`)
        const measured = await measureContenders(framework, connections, postgres.url)
        figures.push(...compare(framework, connections, measured))
      }
    }
    return figures
  } finally {
    await postgres.stop()
  }
}

async function measureContenders(
  framework: string,
  connections: number,
  url: string,
): Promise<Measured> {
  const loads = {
    'feed-receiver': await start('feed-receiver'),
    memory: await start('memory'),
    'pg-boss': await start('pg-boss'),
  }
  const measured = await takeTurns(contenders, { rounds, warmUps }, (contender) =>
    loads[contender].round(),
  )
  for (const { stop } of Object.values(loads)) stop()
  return measured

  async function start(contender: Contender): Promise<Load> {
    const server = startBenchProgram('accept-server.ts', [framework, contender, secret, url])
    const newEvents = `${framework}_${contender}_${connections}`
    return await startLoadOn(server, { connections, seconds, secret, newEvents })
  }
}

function compare(framework: string, connections: number, measured: Measured): Figure[] {
  const name = `${framework}, ${connections} connection${connections > 1 ? 's' : ''}`
  const each = (contender: Contender, pick: (result: LoadResult) => number) =>
    measured[contender].map(pick)
  const rate = ({ requests, seconds: time }: LoadResult) => requests / time
  const figures = contenders.flatMap((contender) => [
    figureOf(`${name}: ${contender}`, '/s', each(contender, rate)),
    figureOf(
      `${name}: ${contender}, p50`,
      'ms',
      each(contender, ({ latenciesMs }) => latenciesMs.p50),
    ),
    figureOf(
      `${name}: ${contender}, p99`,
      'ms',
      each(contender, ({ latenciesMs }) => latenciesMs.p99),
    ),
  ])
  const to = (contender: Contender, pick: (result: LoadResult) => number) =>
    ratios(each('feed-receiver', pick), each(contender, pick))
  if (connections === 1) {
    const p50 = to('pg-boss', ({ latenciesMs }) => latenciesMs.p50)
    const goal = { atMost: 0.6 }
    return [...figures, figureOf(`${name}: p50, feed-receiver to pg-boss`, '×', p50, goal)]
  }
  const p99 = to('pg-boss', ({ latenciesMs }) => latenciesMs.p99)
  return [
    ...figures,
    figureOf(`${name}: feed-receiver to memory`, '×', to('memory', rate)),
    figureOf(`${name}: feed-receiver to pg-boss`, '×', to('pg-boss', rate), goals[framework]),
    figureOf(`${name}: p99, feed-receiver to pg-boss`, '×', p99, { atMost: 0.6 }),
  ]
}
