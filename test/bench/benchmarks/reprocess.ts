/**
 * Reprocessing entries on a real PostgreSQL: requeueing them, with their jobs and a record of the
 * operator, compared with bare pg-boss, which inserts as many jobs. Also end to end, with handlers
 * that insert one row each.
 */
import { startWarmPostgres } from '../warm-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const contenders = ['feed-receiver', 'bare'] as const
const rounds = 5
const wholeRounds = 2
const entries = 100_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const start = (contender: string) =>
    startBenchProgram('reprocess-worker.ts', [contender, postgres.url, String(entries)])
  const workers = { 'feed-receiver': start('feed-receiver'), bare: start('bare') }
  try {
    say(`${rounds} rounds of ${entries} entries for each of ${contenders.join(', ')}`)
    const { 'feed-receiver': ours, bare } = await takeTurns(
      contenders,
      { rounds },
      async (contender) => {
        workers[contender].send('run')
        return entries / Number(await workers[contender].nextLine())
      },
    )
    const whole: number[] = []
    for (let round = 1; round <= wholeRounds; round += 1) {
      say(`round ${round} of ${wholeRounds} with handlers`)
      workers['feed-receiver'].send('run and handle')
      whole.push(entries / Number(await workers['feed-receiver'].nextLine()))
    }
    return [
      figureOf('reprocess: feed-receiver', '/s', ours, { atLeast: 5_000 }),
      figureOf('reprocess: feed-receiver, with handlers', '/s', whole, { atLeast: 1_500 }),
      figureOf('reprocess: bare, jobs alone', '/s', bare),
      figureOf('reprocess: feed-receiver to bare', '×', ratios(ours, bare)),
    ]
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await postgres.stop()
  }
}
