/**
 * Deliveries of the sandbox, each claimed, recorded, sent and stored in a PostgreSQL that flushes
 * to disk. Compared with the bare sender, which stores nothing. Both send to the same server, which
 * answers at once.
 */
import { startWarmPostgres } from './warm-postgres.ts'
import type { DeliveryResult } from './delivery-worker.ts'
import { figureOf, type Figure } from './figure.ts'
import { ratios, takeTurns } from './interleave.ts'
import { startBenchProgram } from './start-bench-program.ts'

const rounds = 5
const perRound = 10_000
const concurrency = 64

export async function measureDeliveries(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const server = startBenchProgram('answer-server.ts', [])
  const port = await server.nextLine()
  const sandbox = startBenchProgram('delivery-worker.ts', [postgres.url, port])
  const bare = startBenchProgram('send-worker.ts', ['feed-receiver', port, String(concurrency)])
  try {
    await sandbox.nextLine()
    say(`deliveries: ${rounds} rounds of ${perRound}`)
    const sides = { sandbox, bare }
    const rates = await takeTurns(['sandbox', 'bare'], { rounds }, async (side) => {
      sides[side].send(String(perRound))
      const { seconds, failures } = JSON.parse(await sides[side].nextLine()) as DeliveryResult
      if (failures > 0) throw new Error(`${failures} deliveries failed.`)
      return perRound / seconds
    })
    return [
      figureOf('sandbox: deliveries', '/s', rates.sandbox),
      figureOf('sandbox: the bare sender', '/s', rates.bare),
      figureOf('sandbox: deliveries to bare', '×', ratios(rates.sandbox, rates.bare), {
        atLeast: 0.3,
      }),
    ]
  } finally {
    for (const { kill } of [sandbox, bare, server]) kill()
    await postgres.stop()
  }
}
