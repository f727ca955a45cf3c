/**
 * Four receiver processes on one PostgreSQL beside one of them. All share this machine with their
 * load and the database, so that this is a lower bound of what machines of their own would do.
 */
import { startPostgres } from '../../support/postgres.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios } from '../interleave.ts'
import { runLoad } from '../run-load.ts'
import { startProcess } from '../start-process.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const processes = 4
const connections = 64
const rounds = 5
const seconds = 3

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  const servers = Array.from({ length: processes }, () =>
    startProcess('accept-server.ts', ['express', 'ours', secret, postgres.url]),
  )
  try {
    const ports = await Promise.all(servers.map(async ({ nextLine }) => Number(await nextLine())))
    const measured = { one: [] as number[], four: [] as number[] }
    say(`${rounds} rounds of ${seconds} s at ${connections} connections on one and on ${processes}`)
    for (let round = 0; round <= rounds; round += 1) {
      for (const side of ['one', 'four'] as const) {
        const port = side === 'one' ? ports.slice(0, 1) : ports
        const newEvents = `${side}_${round}`
        const { requests, seconds: took } = await runLoad({
          port,
          connections,
          seconds,
          secret,
          newEvents,
        })
        if (round > 0) measured[side].push(requests / took)
      }
    }
    return [
      figureOf('accept: one process', '/s', measured.one),
      figureOf(`accept: ${processes} processes`, '/s', measured.four),
      figureOf(`${processes} processes to one`, '×', ratios(measured.four, measured.one)),
    ]
  } finally {
    for (const { kill } of servers) kill()
    await postgres.stop()
  }
}
