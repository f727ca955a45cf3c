/**
 * Four receiver processes on one PostgreSQL, compared with one. All share this machine with their
 * load and the database, so this is a lower bound for separate machines.
 */
import { startWarmPostgres } from '../warm-postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startLoad } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const processes = 4
const connections = 64
const rounds = 20
const warmUps = 4
const seconds = 0.75

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const servers = Array.from({ length: processes }, () =>
    startBenchProgram('accept-server.ts', ['express', 'feed-receiver', secret, postgres.url]),
  )
  try {
    const ports = await Promise.all(servers.map(async ({ nextLine }) => Number(await nextLine())))
    say(`${rounds} rounds of ${seconds} s at ${connections} connections on one and on ${processes}`)
    const plan = { connections, seconds, secret }
    const loads = {
      one: await startLoad({ ...plan, port: ports.slice(0, 1), newEvents: 'one' }),
      four: await startLoad({ ...plan, port: ports, newEvents: 'four' }),
    }
    const { one, four } = await takeTurns(['one', 'four'], { rounds, warmUps }, async (side) => {
      const { requests, seconds: took } = await loads[side].round()
      return requests / took
    })
    for (const { stop } of Object.values(loads)) stop()
    return [
      figureOf('accept: one process', '/s', one),
      figureOf(`accept: ${processes} processes`, '/s', four),
      figureOf(`${processes} processes to one`, '×', ratios(four, one)),
    ]
  } finally {
    for (const { kill } of servers) kill()
    await postgres.stop()
  }
}
