/**
 * Rehearsing stored events compared with handling them, with the same handler, which inserts one
 * row. On a real PostgreSQL and on the embedded database.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startWarmPostgres } from '../warm-postgres.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const ways = ['handle', 'rehearse'] as const
const rounds = 5
const events = 1_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-bench-'))
  try {
    return [
      ...(await measureOn('PostgreSQL', postgres.url, say)),
      ...(await measureOn('embedded', folder, say)),
    ]
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureOn(
  name: string,
  target: string,
  say: (line: string) => void,
): Promise<Figure[]> {
  say(`${name}: ${rounds} rounds of ${events} events for each of ${ways.join(', ')}`)
  const worker = startBenchProgram('rehearse-worker.ts', [target, String(events)])
  try {
    const { handle, rehearse } = await takeTurns(ways, { rounds }, async (way) => {
      worker.send(way)
      return Number(await worker.nextLine())
    })
    return [
      figureOf(`${name}: handled`, '/s', handle),
      figureOf(`${name}: rehearsed`, '/s', rehearse),
      figureOf(`${name}: rehearsed to handled`, '×', ratios(rehearse, handle), { atLeast: 0.5 }),
    ]
  } finally {
    worker.kill()
  }
}
