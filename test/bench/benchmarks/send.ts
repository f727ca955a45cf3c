/**
 * Deliveries of the sender, including signing and address checks. Compared with a bare loop of
 * undici that sends requests signed beforehand, with the same server and concurrency. The figure of
 * autocannon shows the capacity of the server.
 */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import type { SendResult } from '../send-worker.ts'
import { startBenchProgram } from '../start-bench-program.ts'
import type { RunningProgram } from '../../support/start-program.ts'

const contenders = ['feed-receiver', 'bare'] as const
const concurrency = 64
const rounds = 7
const perRound = 20_000
const forMemory = 100_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const server = startBenchProgram('answer-server.ts', [])
  const port = await server.nextLine()
  const start = (contender: string) =>
    startBenchProgram('send-worker.ts', [contender, port, String(concurrency)])
  const workers = { 'feed-receiver': start('feed-receiver'), bare: start('bare') }
  try {
    say(`${rounds} rounds of ${perRound} deliveries, ${concurrency} at once`)
    const { 'feed-receiver': ours, bare } = await takeTurns(contenders, { rounds }, (contender) =>
      send(workers[contender], perRound),
    )
    say(`${forMemory} deliveries for their memory`)
    const before = ours.at(-1)?.heapBytes ?? Number.NaN
    const { heapBytes: after } = await send(workers['feed-receiver'], forMemory)
    const growth = (after - before) / 1_000_000
    say('autocannon, for what the server can take')
    const taken = await loadWithAutocannon(port)
    return [...compare(ours, bare), heapGrowth(growth), taken]
  } finally {
    for (const { kill } of [...Object.values(workers), server]) kill()
  }
}

async function send({ send: write, nextLine }: RunningProgram, count: number): Promise<SendResult> {
  write(String(count))
  const result = JSON.parse(await nextLine()) as SendResult
  if (result.failures > 0) throw new Error(`${result.failures} deliveries failed.`)
  return result
}

function compare(ours: SendResult[], bare: SendResult[]): Figure[] {
  const rate = ({ seconds }: SendResult) => perRound / seconds
  const cpu = ({ cpuSeconds }: SendResult) => (cpuSeconds / perRound) * 1_000_000
  return [
    figureOf('send: feed-receiver', '/s', ours.map(rate)),
    figureOf('send: bare undici, signed beforehand', '/s', bare.map(rate)),
    figureOf('send: feed-receiver, CPU', 'µs', ours.map(cpu)),
    figureOf('send: bare, CPU', 'µs', bare.map(cpu)),
    figureOf('send: feed-receiver to bare', '×', ratios(ours.map(rate), bare.map(rate)), {
      atLeast: 0.7,
    }),
  ]
}

// If each delivery left a hundred bytes, it would be ten of these megabytes.
function heapGrowth(megabytes: number): Figure {
  const name = `send: memory gained over ${forMemory} deliveries`
  return figureOf(name, 'MB', [megabytes], { atMost: 5 })
}

async function loadWithAutocannon(port: string): Promise<Figure> {
  const { headers, body } = signDelivery(fixture('model_release'), {
    secret: 'feed_whsec_benchmark_0123456789abcdef',
  })
  const options = ['--json', '--connections', String(concurrency), '--duration', '3']
  const request = ['--method', 'POST', '--body', new TextDecoder().decode(body)]
  const lines = Object.entries({ ...headers }).flatMap(([name, value]) => [
    '--headers',
    `${name}=${value}`,
  ])
  const program = createRequire(import.meta.url).resolve('autocannon')
  const url = `http://127.0.0.1:${port}/webhooks/feed`
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    ...options,
    ...request,
    ...lines,
    url,
  ])
  const { requests } = JSON.parse(stdout) as { requests: { average: number } }
  return figureOf('send: autocannon, one signed request', '/s', [requests.average])
}
