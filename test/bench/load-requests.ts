import { createHmac, randomUUID } from 'node:crypto'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { Webhook } from 'svix'
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
export function requestsOf(plan: LoadPlan): Requests {
  const { raw, newEvents, hasRandomIds, secret = '', scheme = 'feed' } = plan
  if (raw) return repeating(raw)
  const toBytes = schemes[scheme](secret)
  return newEvents === undefined
    ? repeating(fewDeliveries(toBytes))
    : newRequests(toBytes, hasRandomIds ? undefined : newEvents)
}

function repeating(requests: readonly (Buffer | string)[]): Requests {
  let next = 0
  return { make: () => requests[next++ % requests.length] ?? '', stock() {} }
}

function fewDeliveries(toBytes: ToBytes): Buffer[] {
  return Array.from({ length: distinctDeliveries }, (_, index) =>
    toBytes(fixture('model_release', { id: `evt_load_${index}` })),
  )
}

// Of 1 KB each, created by replacing the id.
function newRequests(toBytes: ToBytes, name?: string): Requests {
  const summary = 'An event of a kilobyte, as those with a summary are. '.repeat(6)
  const event = JSON.stringify(fixture('model_release', { id: 'evt_new', data: { summary } }))
  const [before = '', after = ''] = event.split('evt_new')
  let next = 0
  const id = () => (name === undefined ? randomUUID() : `${name}_${(next += 1)}`)
  const one = () => toBytes(Buffer.from(`${before}evt_${id()}${after}`))
  let made: Buffer[] = []
  return {
    make: () => made.pop() ?? one(),
    stock: (count) => void (made = Array.from({ length: count }, one).toReversed()),
  }
}

/** Each signs the same bodies: feed-receiver, GitHub's headers, and those of Svix. */
const schemes = {
  feed: (secret) => (event) => {
    const { headers, body } = signDelivery(event, { secret })
    return request(headers, body)
  },
  github: (secret) => (event) => {
    const body = bodyOf(event)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    return request(
      {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
        'x-hub-signature-256': `sha256=${signature}`,
      },
      body,
    )
  },
  svix: (secret) => {
    const webhook = new Webhook(Buffer.from(secret).toString('base64'))
    return (event) => {
      const body = bodyOf(event)
      const now = new Date()
      return request(
        {
          'content-type': 'application/json',
          'svix-id': 'msg_1',
          'svix-timestamp': String(Math.floor(now.getTime() / 1_000)),
          'svix-signature': webhook.sign('msg_1', now, body),
        },
        body,
      )
    }
  },
} satisfies Record<string, (secret: string) => ToBytes>

export type Scheme = keyof typeof schemes

type ToBytes = (event: object | Uint8Array) => Buffer

function bodyOf(event: object | Uint8Array): Buffer {
  return Buffer.from(event instanceof Uint8Array ? event : JSON.stringify(event))
}

function request(headers: Record<string, string>, body: Uint8Array): Buffer {
  const lines = Object.entries({ ...headers, 'content-length': body.length, host: 'localhost' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([Buffer.from(`POST /webhooks/feed HTTP/1.1\r\n${head}\r\n`), body])
}
