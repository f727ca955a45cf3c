/**
 * How soon an app with an embedded database answers while its workers handle a backlog of 10,000
 * entries from before its start: deliveries, and a GET that needs no database.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createReceiver } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { createInbox } from '@feed-receiver/inbox'
import { createSender, fixture } from '@feed-receiver/sender'
import { figureOf, type Figure } from '../figure.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const pending = 10_000
const seconds = 20
const goal = { atMost: 500 }

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-backlog-'))
  say(`storing ${pending} entries`)
  await storePending(folder)
  // The sweep only checks entries that are older.
  say('waiting for a minute')
  await delay(61_000)
  say(`${seconds} s of deliveries`)
  const app = startBenchProgram('start-app.ts', [`file:${folder}`, secret])
  const sender = createSender({ secret })
  const to = `http://127.0.0.1:${await app.nextLine()}`
  const asked: Promise<number>[] = []
  const delivered: Promise<number>[] = []
  for (let n = 0; n < seconds * 10; n += 1) {
    asked.push(timeOf(fetch(to)))
    const event = fixture('outage_started', { id: `backlog_now_${n}` })
    delivered.push(timeOf(sender.attempt(event, { to })))
    await delay(100)
  }
  const figures = [
    ...figuresOf('delivery', await Promise.all(delivered)),
    ...figuresOf('GET', await Promise.all(asked)),
  ]
  app.kill()
  await sender.close()
  await rm(folder, { recursive: true })
  return figures
}

async function storePending(folder: string): Promise<void> {
  await using inbox = createInbox({ database: { folder } })
  await inbox.start()
  const receiver = createReceiver({ secrets: [secret], inbox })
  for (let n = 0; n < pending; n += 200) {
    const events = Array.from({ length: 200 }, (_, index) =>
      fixture('outage_started', { id: `backlog_${n + index}` }),
    )
    const requests = events.map((event) => signDelivery(event, { secret }))
    await Promise.all(requests.map((request) => receiver.receive(request)))
  }
}

async function timeOf(answer: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await answer
  return performance.now() - startedAt
}

function figuresOf(name: string, times: number[]): Figure[] {
  const sorted = times.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN
  return [figureOf(name, 'ms', times), figureOf(`${name}, p99`, 'ms', [p99], goal)]
}
