/**
 * A load generator in a process of its own, with a plan as JSON in its arguments. For each line on its
 * input it puts one round of load on the server: keeps every connection busy with one request at a
 * time, and prints what it measured as JSON. The connections stay from round to round, as do those of
 * a sender that is well written.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'

export interface LoadPlan {
  /** One server, or several that share the connections. */
  port: number | number[]
  connections: number
  /** For how long in each round. */
  seconds: number
  /** Ends a round earlier, once so many were sent. */
  requests?: number
  /** Signs deliveries. */
  secret?: string
  /** Makes every delivery an event of its own, named after this; else the same few come again. */
  newEvents?: string
  /** Whole requests without a body, which are sent in turns instead of deliveries. */
  raw?: readonly string[]
}

export interface LoadResult {
  requests: number
  seconds: number
  /** Answers by status. */
  statuses: Record<string, number>
  latenciesMs: { p50: number; p99: number }
}

/** Enough for no delivery to be in two requests at once. */
const distinctDeliveries = 2_000
/** How many new events are made before the first round; later ones go by the round before. */
const firstStock = 5_000
const stockToSpare = 1.25
/** For how long to look away from many connections when nothing has come. */
const napMs = 0.05
const pillow = new Int32Array(new SharedArrayBuffer(4))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const runRound = await openLoad(JSON.parse(process.argv[2] ?? '{}') as LoadPlan)
  console.log('ready')
  for await (const _ of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await runRound()))
  }
}

async function openLoad(plan: LoadPlan): Promise<() => Promise<LoadResult>> {
  const { port, connections, seconds, requests = Infinity } = plan
  const { make, stock } = requestsOf(plan)
  const ports = [port].flat()
  const open = await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      openConnection(ports[index % ports.length] ?? 0),
    ),
  )
  let expected = firstStock

  return async () => {
    stock(Math.min(expected, requests))
    const latencies: number[] = []
    const statuses: Record<string, number> = {}
    let sent = 0
    const startedAt = performance.now()
    const endsAt = startedAt + seconds * 1_000
    const looking = keepLooking(() => latencies.length, connections > 1 ? napMs : 0)
    await Promise.all(open.map(keepBusy))
    clearImmediate(looking.next)
    const elapsed = (performance.now() - startedAt) / 1_000
    expected = Math.ceil(sent * stockToSpare)
    latencies.sort((a, b) => a - b)
    const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
    return {
      requests: latencies.length,
      seconds: elapsed,
      statuses,
      latenciesMs: { p50: at(0.5), p99: at(0.99) },
    }

    async function keepBusy({ ask }: Connection): Promise<void> {
      let now = startedAt
      while (now < endsAt && sent < requests) {
        sent += 1
        const status = await ask(make())
        latencies.push(performance.now() - now)
        now = performance.now()
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }
  }
}

interface Connection {
  /** Sends a request, and gives the status of its answer. */
  ask(request: Buffer | string): Promise<string>
}

async function openConnection(port: number): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(65_536)
  const onread = { buffer, callback: take }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await once(socket, 'connect')
  // A connection that is lost must not look like a server that is slow.
  socket.on('close', () => process.exit(1))
  let received = ''
  let answer: (status: string) => void = () => {}
  return {
    ask(request) {
      socket.write(request)
      return new Promise((resolve) => (answer = resolve))
    },
  }

  function take(length: number): boolean {
    received += buffer.toString('latin1', 0, length)
    if (isWhole(received)) {
      answer(received.slice(9, 12))
      received = ''
    }
    return true
  }
}

// Who waits for its sockets is woken by the server's write, and the server pays for it; who asks them
// again and again takes a processor from the server and its database. The clients of a real server are
// on another machine.
function keepLooking(countAnswers: () => number, napFor: number): { next: NodeJS.Immediate } {
  let seen = 0
  const looking = { next: setImmediate(again) }
  return looking

  function again() {
    const count = countAnswers()
    if (count === seen && napFor > 0) Atomics.wait(pillow, 0, 0, napFor)
    seen = count
    looking.next = setImmediate(again)
  }
}

interface Requests {
  make(): Buffer | string
  /** Makes so many now, since what is made while a round runs takes its time from the server's. */
  stock(count: number): void
}

function requestsOf({ raw, newEvents, secret = '' }: LoadPlan): Requests {
  if (raw) return repeating(raw)
  return newEvents === undefined ? repeating(fewDeliveries(secret)) : newRequests(secret, newEvents)
}

function repeating(requests: readonly (Buffer | string)[]): Requests {
  let next = 0
  return { make: () => requests[next++ % requests.length] ?? '', stock() {} }
}

function fewDeliveries(secret: string): Buffer[] {
  return Array.from({ length: distinctDeliveries }, (_, index) =>
    toBytes(secret, fixture('model_release', { id: `evt_load_${index}` })),
  )
}

// Of 1 KB, and made by replacing the id.
function newRequests(secret: string, name: string): Requests {
  const summary = 'An event of a kilobyte, as those with a summary are. '.repeat(6)
  const event = JSON.stringify(fixture('model_release', { id: 'evt_new', data: { summary } }))
  const [before = '', after = ''] = event.split('evt_new')
  let next = 0
  const one = () => toBytes(secret, Buffer.from(`${before}evt_${name}_${(next += 1)}${after}`))
  let made: Buffer[] = []
  return {
    make: () => made.pop() ?? one(),
    stock: (count) => void (made = Array.from({ length: count }, one).toReversed()),
  }
}

function toBytes(secret: string, event: object | Uint8Array): Buffer {
  const { headers, body } = signDelivery(event, { secret })
  const lines = Object.entries({ ...headers, 'content-length': body.length, host: 'localhost' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`POST /webhooks/feed HTTP/1.1\r\n${head}\r\n`), body])
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = received.slice(0, end)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return received.endsWith('\r\n0\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? '0'
  return received.length >= end + 4 + Number(length)
}
