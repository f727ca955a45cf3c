/** How much memory a receiver with an inbox uses after 20,000 events, and after 200,000. */
import { startWarmPostgres } from '../warm-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { startLoad } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const [few, many] = [20_000, 200_000]

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const server = startBenchProgram('accept-server.ts', [
    'fastify',
    'feed-receiver',
    secret,
    postgres.url,
  ])
  try {
    const port = Number(await server.nextLine())
    const sizeAfter = async (requests: number) => {
      say(`${requests} events`)
      const newEvents = `memory_${requests}`
      const plan = { port, connections: 64, seconds: 300, requests, secret, newEvents }
      const load = await startLoad(plan)
      await load.round()
      load.stop()
      server.send('')
      return Number(await server.nextLine())
    }
    const afterFew = await sizeAfter(few)
    const afterMany = await sizeAfter(many - few)
    return [
      figureOf(`resident size after ${few} events`, 'MiB', [afterFew]),
      figureOf(`resident size after ${many} events`, 'MiB', [afterMany]),
      figureOf('the second to the first', '×', [afterMany / afterFew], { atMost: 1.1 }),
    ]
  } finally {
    server.kill()
    await postgres.stop()
  }
}
