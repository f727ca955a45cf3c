/**
 * A whole delivery on the memory inbox, in each framework. Compared with a handwritten handler in
 * the same framework, and with one that only reads the body.
 */
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import type { LoadResult } from '../load.ts'
import { startLoadOn, type Load } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const frameworks = ['express', 'koa', 'fastify', 'next']
const handlers = ['feed-receiver', 'by-hand', 'read-only'] as const
type Handler = (typeof handlers)[number]
const secret = 'feed_whsec_benchmark_0123456789abcdef'
const connections = 64
/** Two, so that the server is the limit and not its load. */
const generators = 2
const rounds = 60
const warmUps = 8
const seconds = 0.25

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const framework of parts.length > 0 ? parts : frameworks) {
    say(`${framework}: ${rounds} rounds of ${seconds} s for each of ${handlers.join(', ')}`)
    const loads = {
      'feed-receiver': await start(framework, 'feed-receiver'),
      'by-hand': await start(framework, 'by-hand'),
      'read-only': await start(framework, 'read-only'),
    }
    const measured = await takeTurns(handlers, { rounds, warmUps }, (handler) =>
      loads[handler].round(),
    )
    for (const { stop } of Object.values(loads)) stop()
    figures.push(...compare(framework, measured))
  }
  return figures
}

function compare(framework: string, measured: Record<Handler, LoadResult[]>): Figure[] {
  const rates = (handler: Handler) =>
    measured[handler].map(({ requests, seconds: time }) => requests / time)
  const tails = (handler: Handler) => measured[handler].map(({ latenciesMs }) => latenciesMs.p99)
  return [
    ...handlers.map((handler) => figureOf(`${framework}: ${handler}`, '/s', rates(handler))),
    ...handlers.map((handler) => figureOf(`${framework}: ${handler}, p99`, 'ms', tails(handler))),
    figureOf(
      `${framework}: feed-receiver to by-hand`,
      '×',
      ratios(rates('feed-receiver'), rates('by-hand')),
      {
        atLeast: 0.92,
      },
    ),
    figureOf(
      `${framework}: p99, feed-receiver to by-hand`,
      '×',
      ratios(tails('feed-receiver'), tails('by-hand')),
      {
        atMost: 1.25,
      },
    ),
  ]
}

async function start(framework: string, handler: Handler): Promise<Load> {
  const server = startBenchProgram('receive-server.ts', [framework, handler, secret])
  return await startLoadOn(server, { connections, seconds, secret }, generators)
}
