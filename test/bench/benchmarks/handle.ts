/**
 * Handling on a real PostgreSQL: the inbox's worker compared with a pg-boss worker with
 * `transactional` and NOTIFY, with the same concurrency and the same single insert in the handler.
 * Also how soon a lone event reaches its handler after it was accepted.
 */
import { createTestDatabase } from '../../support/postgres.ts'
import { startSettledPostgres } from '../settled-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { runHandlers, type HandleRound } from '../run-handlers.ts'
import { startProcess } from '../start-process.ts'

const ways = ['ours', 'pg-boss-notify'] as const
type Way = (typeof ways)[number]
const rounds = 5
const plan = { jobs: 1_000, lone: 20 }

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const start = async (way: Way) =>
    startProcess('handle-worker.ts', [way, (await createTestDatabase(postgres)).url])
  const workers = { ours: await start('ours'), 'pg-boss-notify': await start('pg-boss-notify') }
  try {
    say(`${rounds} rounds of 1000 events and 20 lone ones for each of ${ways.join(', ')}`)
    return compare(await takeTurns(ways, { rounds }, (way) => runHandlers(workers[way], plan)))
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await postgres.stop()
  }
}

function compare(measured: Record<Way, HandleRound[]>): Figure[] {
  const each = (way: Way, pick: (round: HandleRound) => number) => measured[way].map(pick)
  const rate = ({ perSecond }: HandleRound) => perSecond
  const toHandler = ({ loneMs }: HandleRound) => loneMs
  const toRival = ratios(each('ours', rate), each('pg-boss-notify', rate))
  return [
    ...ways.map((way) => figureOf(`handle: ${way}`, '/s', each(way, rate))),
    figureOf('handle: ours to pg-boss', '×', toRival, { atLeast: 0.8 }),
    figureOf(
      'idle: pg-boss-notify, from accept to handler, p50',
      'ms',
      each('pg-boss-notify', toHandler),
    ),
    figureOf('idle: ours, from accept to handler, p50', 'ms', each('ours', toHandler), {
      atMost: 10,
    }),
  ]
}
