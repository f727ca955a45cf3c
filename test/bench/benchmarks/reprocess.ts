/**
 * Reprocessing entries on a real PostgreSQL: requeueing them, with their jobs and a record of the
 * operator. Compared with bare pg-boss, which inserts as many jobs.
 */
import { startSettledPostgres } from '../settled-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const contenders = ['feed-receiver', 'bare'] as const
const rounds = 5
const entries = 100_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const start = (contender: string) =>
    startBenchProgram('reprocess-worker.ts', [contender, postgres.url, String(entries)])
  const workers = { 'feed-receiver': start('feed-receiver'), bare: start('bare') }
  try {
    say(`${rounds} rounds of ${entries} entries for each of ${contenders.join(', ')}`)
    const { 'feed-receiver': ours, bare } = await takeTurns(
      contenders,
      { rounds },
      async (contender) => {
        workers[contender].send('')
        return entries / Number(await workers[contender].nextLine())
      },
    )
    return [
      figureOf('reprocess: feed-receiver', '/s', ours, { atLeast: 5_000 }),
      figureOf('reprocess: bare, jobs alone', '/s', bare),
      figureOf('reprocess: feed-receiver to bare', '×', ratios(ours, bare)),
    ]
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await postgres.stop()
  }
}
