/**
 * The whole way of a delivery, over the memory inbox, in each framework: beside a handler written by
 * hand in the same framework, and beside one that only reads the body.
 */
import { figureOf, type Figure } from '../figure.ts'
import { ratios } from '../interleave.ts'
import type { LoadPlan, LoadResult } from '../load.ts'
import { startProcess } from '../start-process.ts'

const frameworks = ['express', 'koa', 'fastify', 'next']
const handlers = ['ours', 'by-hand', 'read-only']
const secret = 'feed_whsec_benchmark_0123456789abcdef'
const connections = 64
/** Two, so that it is the server that is measured and not its load. */
const generators = 2
const rounds = 7
const seconds = 2

export async function measure(
  say: (line: string) => void,
  parts: readonly string[],
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const framework of parts.length > 0 ? parts : frameworks) {
    say(`${framework}: ${rounds} rounds of ${seconds} s for each of ${handlers.join(', ')}`)
    const servers = await Promise.all(handlers.map((handler) => start(framework, handler)))
    const measured = new Map(handlers.map((handler) => [handler, [] as LoadResult[]]))
    // Rounds in turns, and the first one only to warm up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const { handler, port } of round % 2 === 0 ? servers : servers.toReversed()) {
        const result = await loadServer(port)
        if (round > 0) measured.get(handler)?.push(result)
      }
    }
    for (const { kill } of servers) kill()
    figures.push(...compare(framework, measured))
  }
  return figures
}

function compare(framework: string, measured: Map<string, LoadResult[]>): Figure[] {
  const rates = (handler: string) =>
    (measured.get(handler) ?? []).map(({ requests, seconds: time }) => requests / time)
  const tails = (handler: string) =>
    (measured.get(handler) ?? []).map(({ latenciesMs }) => latenciesMs.p99)
  return [
    ...handlers.map((handler) => figureOf(`${framework}: ${handler}`, '/s', rates(handler))),
    ...handlers.map((handler) => figureOf(`${framework}: ${handler}, p99`, 'ms', tails(handler))),
    figureOf(`${framework}: ours to by-hand`, '×', ratios(rates('ours'), rates('by-hand')), {
      atLeast: 0.9,
    }),
    figureOf(`${framework}: p99, ours to by-hand`, '×', ratios(tails('ours'), tails('by-hand')), {
      atMost: 1.25,
    }),
  ]
}

interface BenchServer {
  handler: string
  port: number
  kill(): void
}

async function start(framework: string, handler: string): Promise<BenchServer> {
  const { nextLine, kill } = startProcess('receive-server.ts', [framework, handler, secret])
  return { handler, port: Number(await nextLine()), kill }
}

async function loadServer(port: number): Promise<LoadResult> {
  const plan: LoadPlan = { port, connections: connections / generators, seconds, secret }
  const results = await Promise.all(Array.from({ length: generators }, () => generate(plan)))
  const [first] = results
  if (!first) throw new Error('There is at least one generator.')
  const unexpected = results.flatMap(({ statuses }) => Object.keys(statuses)).filter(isFailure)
  if (unexpected.length > 0) throw new Error(`The server answered ${unexpected.join(', ')}.`)
  return {
    ...first,
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    latenciesMs: {
      p50: Math.max(...results.map(({ latenciesMs }) => latenciesMs.p50)),
      p99: Math.max(...results.map(({ latenciesMs }) => latenciesMs.p99)),
    },
  }
}

async function generate(plan: LoadPlan): Promise<LoadResult> {
  return JSON.parse(await startProcess('load.ts', [JSON.stringify(plan)]).nextLine()) as LoadResult
}

function isFailure(status: string): boolean {
  return !status.startsWith('2')
}
