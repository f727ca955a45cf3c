/**
 * Handling on a real PostgreSQL: the inbox's worker compared with a bare pg-boss worker with
 * `transactional`, with the same concurrency and the same single insert in the handler. Also how
 * soon a lone event reaches its handler after it was accepted.
 */
import { startSettledPostgres } from '../settled-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startProcess } from '../start-process.ts'

const ways = ['ours', 'bare'] as const
const rounds = 5
const plan = JSON.stringify({ jobs: 1_000, lone: 20 })

interface Round {
  perSecond: number
  p50: number
}

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const workers = {
    ours: startProcess('handle-worker.ts', ['ours', postgres.url]),
    bare: startProcess('handle-worker.ts', ['bare', postgres.url]),
  }
  try {
    say(`${rounds} rounds of 1000 events and 20 lone ones for each of ${ways.join(', ')}`)
    const measured = await takeTurns(ways, { rounds }, async (way) => {
      workers[way].send(plan)
      return JSON.parse(await workers[way].nextLine()) as Round
    })
    return compare(measured)
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await postgres.stop()
  }
}

function compare(measured: Record<(typeof ways)[number], Round[]>): Figure[] {
  const each = (way: (typeof ways)[number], pick: (round: Round) => number) =>
    measured[way].map(pick)
  const rate = ({ perSecond }: Round) => perSecond
  const toHandlers = ({ p50 }: Round) => p50
  return [
    ...ways.map((way) => figureOf(`handle: ${way}`, '/s', each(way, rate))),
    figureOf('handle: ours to bare', '×', ratios(each('ours', rate), each('bare', rate)), {
      atLeast: 0.8,
    }),
    figureOf('idle: bare, from queueing to handler, p50', 'ms', each('bare', toHandlers)),
    figureOf('idle: ours, from accept to handler, p50', 'ms', each('ours', toHandlers), {
      atMost: 10,
    }),
  ]
}
