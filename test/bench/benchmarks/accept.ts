/**
 * Accepting new events on a real PostgreSQL: the inbox, beside the same app over the memory inbox, and
 * beside what one would write by hand from pg-boss's documentation.
 */
import { startPostgres } from '../../support/postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios } from '../interleave.ts'
import type { LoadResult } from '../load.ts'
import { runLoad } from '../run-load.ts'
import { startProcess } from '../start-process.ts'

const goals: Record<string, { ofMemory: number; ofByHand: number }> = {
  express: { ofMemory: 0.85, ofByHand: 4 },
  fastify: { ofMemory: 0.65, ofByHand: 6 },
}
const ways = ['ours', 'memory', 'by-hand'] as const
const secret = 'feed_whsec_benchmark_0123456789abcdef'
const rounds = 5
const seconds = 3

type Measured = Map<string, LoadResult[]>

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  // One that flushes to disk, as those in production do.
  const postgres = await startPostgres({ isDurable: true })
  try {
    const figures: Figure[] = []
    for (const framework of parts.length > 0 ? parts : Object.keys(goals)) {
      for (const connections of [64, 1]) {
        say(`${framework}: ${rounds} rounds of ${seconds} s at ${connections} connections`)
        const measured = await measureWays(framework, connections, postgres.url)
        figures.push(...compare(framework, connections, measured))
      }
    }
    return figures
  } finally {
    await postgres.stop()
  }
}

async function measureWays(framework: string, connections: number, url: string): Promise<Measured> {
  const servers = await Promise.all(
    ways.map(async (way) => {
      const { nextLine, kill } = startProcess('accept-server.ts', [framework, way, secret, url])
      return { way, port: Number(await nextLine()), kill }
    }),
  )
  const measured: Measured = new Map(ways.map((way) => [way, []]))
  // In turns, and the first round only to warm up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { way, port } of round % 2 === 0 ? servers : servers.toReversed()) {
      const newEvents = `${framework}_${way}_${connections}_${round}`
      const result = await runLoad({ port, connections, seconds, secret, newEvents })
      if (round > 0) measured.get(way)?.push(result)
    }
  }
  for (const { kill } of servers) kill()
  return measured
}

function compare(framework: string, connections: number, measured: Measured): Figure[] {
  const name = `${framework}, ${connections} connection${connections > 1 ? 's' : ''}`
  const each = (way: string, pick: (result: LoadResult) => number) =>
    (measured.get(way) ?? []).map(pick)
  const rate = ({ requests, seconds: time }: LoadResult) => requests / time
  const figures = ways.flatMap((way) => [
    figureOf(`${name}: ${way}`, '/s', each(way, rate)),
    figureOf(
      `${name}: ${way}, p50`,
      'ms',
      each(way, ({ latenciesMs }) => latenciesMs.p50),
    ),
    figureOf(
      `${name}: ${way}, p99`,
      'ms',
      each(way, ({ latenciesMs }) => latenciesMs.p99),
    ),
  ])
  const to = (way: string, pick: (result: LoadResult) => number) =>
    ratios(each('ours', pick), each(way, pick))
  const goal = goals[framework]
  if (connections === 1) {
    const p50 = to('by-hand', ({ latenciesMs }) => latenciesMs.p50)
    return [...figures, figureOf(`${name}: p50, ours to by-hand`, '×', p50, { atMost: 1 })]
  }
  const p99 = to('by-hand', ({ latenciesMs }) => latenciesMs.p99)
  return [
    ...figures,
    figureOf(`${name}: ours to memory`, '×', to('memory', rate), atLeast(goal?.ofMemory)),
    figureOf(`${name}: ours to by-hand`, '×', to('by-hand', rate), atLeast(goal?.ofByHand)),
    figureOf(`${name}: p99, ours to by-hand`, '×', p99, { atMost: 1 }),
  ]
}

function atLeast(value: number | undefined): Figure['goal'] {
  return value === undefined ? undefined : { atLeast: value }
}
