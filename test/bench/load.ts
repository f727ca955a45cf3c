/**
 * A load generator in its own process, with a plan as JSON in its arguments. Each line of input
 * starts one round of load: it keeps every connection busy with one request at a time, and prints
 * the measurements as JSON. Connections stay open between rounds, like those of a good sender.
 */
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { openConnection, type Connection } from './load-connection.ts'
import { requestsOf, type Scheme } from './load-requests.ts'

export interface LoadPlan {
  /** One server, or several that share the connections. */
  port: number | number[]
  connections: number
  /** The duration of a round. */
  seconds: number
  /** Ends a round early after this many requests. */
  requests?: number
  /** Signs deliveries. */
  secret?: string
  /** How deliveries are signed. @default 'feed' */
  scheme?: Scheme
  /** Makes every delivery a new event, with ids from this name. By default the same few repeat. */
  newEvents?: string
  /** Whether the ids of new events are random instead. */
  hasRandomIds?: boolean
  /** Whole requests without a body, sent in turn instead of deliveries. */
  raw?: readonly string[]
}

export interface LoadResult {
  requests: number
  seconds: number
  /** Responses by status. */
  statuses: Record<string, number>
  latenciesMs: { p50: number; p99: number }
}

/** How many new events are created before the first round. Later rounds adapt it. */
const firstStock = 5_000
const stockToSpare = 1.25
/** The pause between two checks of many connections without news. */
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

// If this process waited for its sockets, each write of the server would wake it, at the server's
// expense. If it polled without a pause, it would take a processor from the server and its
// database. The clients of a real server are on another machine.
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
