/**
 * Deliveries during a flood of complete forged bodies of 1 MiB, which anyone can send. Compared with
 * a handwritten handler under the same flood.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, fixture, type Sender } from '@feed-receiver/sender'
import type { BenchOptions } from '../bench.ts'
import { compare } from '../compare.ts'
import type { Figure } from '../figure.ts'
import { takeTurns } from '../interleave.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const handlers = ['feed-receiver', 'by-hand'] as const
const connections = 256
const mebibytesPerSecond = 234
const deliveries = 60
const everyMs = 50

export async function measure(
  say: (line: string) => void,
  _parts: readonly string[] = [],
  { isQuick = false }: Partial<BenchOptions> = {},
): Promise<Figure[]> {
  const rounds = isQuick ? 2 : 6
  say(`${rounds} rounds of ${deliveries} deliveries for each of ${handlers.join(', ')}, during`)
  say(`forged bodies over ${connections} connections at ${mebibytesPerSecond} MiB/s`)
  const sender = createSender({ secret })
  const measured = await takeTurns(handlers, { rounds, warmUps: 0 }, (handler) =>
    floodOne(handler, sender),
  )
  await sender.close()
  return [
    ...compare('deliveries without an answer', '%', measured, ({ unanswered }) => unanswered),
    ...compare('answer, p50', 'ms', measured, ({ p50 }) => p50, { 'by-hand': { atMost: 1 } }),
    ...compare('answer, p99', 'ms', measured, ({ p99 }) => p99, { 'by-hand': { atMost: 1 } }),
  ]
}

/** The service waits 10 s for an answer, so none takes longer. */
async function floodOne(handler: (typeof handlers)[number], sender: Sender) {
  const server = startBenchProgram('receive-server.ts', ['node', handler, secret])
  const port = await server.nextLine()
  const flood = startBenchProgram('flood.ts', [
    port,
    String(connections),
    String(mebibytesPerSecond),
  ])
  await flood.nextLine()
  const answers = await Promise.all(
    Array.from({ length: deliveries }, async (_, index) => {
      await delay(index * everyMs)
      const startedAt = performance.now()
      const event = fixture('model_release', { id: `evt_flood_${index}` })
      const { status } = await sender.attempt(event, {
        to: `http://127.0.0.1:${port}/webhooks/feed`,
      })
      return { status, ms: performance.now() - startedAt }
    }),
  )
  flood.kill()
  server.kill()
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0
  const unanswered = answers.filter(({ status }) => status === null).length
  return { unanswered: (100 * unanswered) / deliveries, p50: at(0.5), p99: at(0.99) }
}
