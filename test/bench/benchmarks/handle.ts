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
import { startBenchProgram } from '../start-bench-program.ts'

const contenders = ['feed-receiver', 'pg-boss-notify'] as const
type Contender = (typeof contenders)[number]
const rounds = 5
const plan = { jobs: 1_000, lone: 20 }

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const start = async (contender: Contender) =>
    startBenchProgram('handle-worker.ts', [contender, (await createTestDatabase(postgres)).url])
  const workers = {
    'feed-receiver': await start('feed-receiver'),
    'pg-boss-notify': await start('pg-boss-notify'),
  }
  try {
    say(`${rounds} rounds of 1000 events and 20 lone ones for each of ${contenders.join(', ')}`)
    return compare(
      await takeTurns(contenders, { rounds }, (contender) => runHandlers(workers[contender], plan)),
    )
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await postgres.stop()
  }
}

function compare(measured: Record<Contender, HandleRound[]>): Figure[] {
  const each = (contender: Contender, pick: (round: HandleRound) => number) =>
    measured[contender].map(pick)
  const rate = ({ perSecond }: HandleRound) => perSecond
  const toHandler = ({ loneMs }: HandleRound) => loneMs
  const toPgBoss = ratios(each('feed-receiver', rate), each('pg-boss-notify', rate))
  return [
    ...contenders.map((contender) => figureOf(`handle: ${contender}`, '/s', each(contender, rate))),
    figureOf('handle: feed-receiver to pg-boss', '×', toPgBoss, { atLeast: 0.8 }),
    figureOf(
      'idle: pg-boss-notify, from accept to handler, p50',
      'ms',
      each('pg-boss-notify', toHandler),
    ),
    figureOf(
      'idle: feed-receiver, from accept to handler, p50',
      'ms',
      each('feed-receiver', toHandler),
      {
        atMost: 10,
      },
    ),
  ]
}
