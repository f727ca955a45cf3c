/**
 * One contender of the `send` benchmark in its own process. Arguments: feed-receiver (the sender) or bare (undici
 * with requests signed beforehand), the port to send to, and the concurrency. Each line of input is
 * a number of deliveries to send. The answer is a JSON line: how long they took, and the memory in
 * use after a garbage collection.
 */
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { signDelivery } from '@feed-receiver/core/testing'
import { createSender, fixture } from '@feed-receiver/sender'
import { Agent, request } from 'undici'

export interface SendResult {
  seconds: number
  cpuSeconds: number
  heapBytes: number
  failures: number
}

const [contender = '', port = '', concurrency = '1'] = process.argv.slice(2)
const secret = 'feed_whsec_benchmark_0123456789abcdef'
// A name, so that the lookup and the address checks are included.
const to = `http://localhost:${port}/webhooks/feed`
const events = Array.from({ length: 2_000 }, (_, index) =>
  fixture('model_release', { id: `evt_send_${index}` }),
)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const send = contender === 'feed-receiver' ? sendByKit() : bare()

for await (const line of createInterface({ input: process.stdin })) {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const failures = await sendAll(Number(line))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  // Only a second collection frees the objects that the first one finalizes.
  collect()
  await new Promise((resolve) => setTimeout(resolve, 50))
  collect()
  const { heapUsed, external } = process.memoryUsage()
  const result: SendResult = {
    seconds,
    cpuSeconds: (user + system) / 1_000_000,
    heapBytes: heapUsed + external,
    failures,
  }
  console.log(JSON.stringify(result))
}
process.exit(0)

async function sendAll(count: number): Promise<number> {
  let next = 0
  let failures = 0
  async function keepSending(): Promise<void> {
    while (next < count) {
      const isDelivered = await send(next++ % events.length)
      if (!isDelivered) failures += 1
    }
  }
  await Promise.all(Array.from({ length: Number(concurrency) }, keepSending))
  return failures
}

function sendByKit(): (index: number) => Promise<boolean> {
  const sender = createSender({ secret, allowLocal: true })
  return async (index) => {
    const event = events[index]
    if (!event) throw new Error('There is no such event.')
    const { result } = await sender.deliver(event, { to })
    return result === 'delivered'
  }
}

function bare(): (index: number) => Promise<boolean> {
  const dispatcher = new Agent()
  const requests = events.map((event) => {
    const { headers, body } = signDelivery(event, { secret })
    return { dispatcher, method: 'POST' as const, headers: { ...headers }, body }
  })
  return async (index) => {
    const { statusCode, body } = await request(to, requests[index])
    await body.dump()
    return statusCode === 204
  }
}
