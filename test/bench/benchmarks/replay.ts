/**
 * Replaying entries on a real PostgreSQL: requeueing them, with their jobs and a record of the
 * operator. Compared with bare pg-boss, which inserts as many jobs.
 */
import { startSettledPostgres } from '../settled-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startProcess } from '../start-process.ts'

const ways = ['ours', 'bare'] as const
const rounds = 5
const entries = 100_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startSettledPostgres()
  const start = (way: string) =>
    startProcess('replay-worker.ts', [way, postgres.url, String(entries)])
  const workers = { ours: start('ours'), bare: start('bare') }
  try {
    say(`${rounds} rounds of ${entries} entries for each of ${ways.join(', ')}`)
    const { ours, bare } = await takeTurns(ways, { rounds }, async (way) => {
      workers[way].send('')
      return entries / Number(await workers[way].nextLine())
    })
    return [
      figureOf('replay: ours', '/s', ours, { atLeast: 5_000 }),
      figureOf('replay: bare, jobs alone', '/s', bare),
      figureOf('replay: ours to bare', '×', ratios(ours, bare)),
    ]
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await postgres.stop()
  }
}
