import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import type { LoadPlan } from './load.ts'

/** Enough that no delivery is in two requests at once. */
const distinctDeliveries = 2_000

/** The requests of a load, one after the other. */
export interface Requests {
  make(): Buffer | string
  /** Creates this many now, because creating them during a round would slow down the server. */
  stock(count: number): void
}

/** Creates the requests of a plan. */
export function requestsOf({ raw, newEvents, secret = '' }: LoadPlan): Requests {
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

// Of 1 KB each, created by replacing the id.
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
