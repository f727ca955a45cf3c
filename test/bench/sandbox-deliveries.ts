/**
 * Deliveries of the sandbox, each claimed, noted, sent and kept on a PostgreSQL that flushes to disk,
 * beside the bare sender, which keeps nothing: the same server, which answers at once.
 */
import { startPostgres } from '../support/postgres.ts'
import type { DeliveryResult } from './delivery-worker.ts'
import { figureOf, type Figure } from './figure.ts'
import { ratios } from './interleave.ts'
import { startProcess } from './start-process.ts'

const rounds = 5
const perRound = 10_000
const concurrency = 64

export async function measureDeliveries(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  const server = startProcess('answer-server.ts', [])
  const port = await server.nextLine()
  const sandbox = startProcess('delivery-worker.ts', [postgres.url, port])
  const bare = startProcess('send-worker.ts', ['ours', port, String(concurrency)])
  try {
    await sandbox.nextLine()
    say(`deliveries: ${rounds} rounds of ${perRound}`)
    const rates = { sandbox: [] as number[], bare: [] as number[] }
    const sides = [
      ['sandbox', sandbox],
      ['bare', bare],
    ] as const
    // In turns, and the first round only to warm up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [side, worker] of round % 2 === 0 ? sides : sides.toReversed()) {
        worker.send(String(perRound))
        const { seconds, failures } = JSON.parse(await worker.nextLine()) as DeliveryResult
        if (failures > 0) throw new Error(`${failures} deliveries failed.`)
        if (round > 0) rates[side].push(perRound / seconds)
      }
    }
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
