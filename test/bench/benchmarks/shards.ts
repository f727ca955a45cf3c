/**
 * How much two shards on two servers accept, compared with one inbox on one server, with as many
 * clients per server. On one shared machine, elapsed time says nothing about that. So this measures
 * the processor time of each server per event, as if each had the same processors for itself.
 */
import { cpuTime, familyCpuTime } from '../cpu-time.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { startWarmPostgres } from '../warm-postgres.ts'
import { startLoad } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const sides = ['one inbox', 'two shards'] as const
const connectionsPerServer = 64
// No more, because the server closes connections that are idle during the other side's turn.
const eventsPerServer = 3_000
const rounds = 16
const warmUps = 2

interface Cost {
  /** The time of the receiver per event, in microseconds. */
  node: number
  /** The time of the busier server, divided by the number of all events. */
  busiest: number
}

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const closers: (() => unknown)[] = []
  try {
    const open = async (servers: number) => {
      const databases = await Promise.all(Array.from({ length: servers }, startWarmPostgres))
      closers.push(...databases.map((database) => () => database.stop()))
      const urls = databases.map(({ url }) => url).join(' ')
      const server = startBenchProgram('accept-server.ts', [
        'fastify',
        'feed-receiver',
        secret,
        urls,
      ])
      const requests = servers * eventsPerServer
      const load = await startLoad({
        port: Number(await server.nextLine()),
        connections: servers * connectionsPerServer,
        seconds: 120,
        requests,
        secret,
        newEvents: `shards_${servers}`,
      })
      closers.push(() => load.stop(), server.kill)
      const read = () => ({
        node: cpuTime(server.pid),
        each: databases.map(({ pid }) => familyCpuTime(pid)),
      })
      return async (): Promise<Cost> => {
        const before = read()
        await load.round()
        const after = read()
        const each = after.each.map((time, index) => time - (before.each[index] ?? 0))
        return {
          node: (after.node - before.node) / requests,
          busiest: Math.max(...each) / requests,
        }
      }
    }
    const runs = { 'one inbox': await open(1), 'two shards': await open(2) }
    say(`${rounds} rounds of ${eventsPerServer} events for each server`)
    const costs = await takeTurns(sides, { rounds, warmUps }, (side) => runs[side]())
    const [one, two] = [costs['one inbox'], costs['two shards']]
    const spent = (of: Cost[], what: keyof Cost) => of.map((cost) => cost[what])
    return [
      figureOf('one inbox: Node', 'µs', spent(one, 'node')),
      figureOf('one inbox: its server', 'µs', spent(one, 'busiest')),
      figureOf('two shards: Node', 'µs', spent(two, 'node')),
      figureOf('two shards: the busier server', 'µs', spent(two, 'busiest')),
      figureOf(
        'two servers to one, by their processors',
        '×',
        ratios(spent(one, 'busiest'), spent(two, 'busiest')),
        { atLeast: 1.8 },
      ),
    ]
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}
