import { EventEmitter, once } from 'node:events'
import {
  createReceiver,
  type DeliveryInbox,
  type Observation,
  type Receiver,
  type ReceiverOptions,
} from '@feed-receiver/core'
import {
  memoryInbox,
  signDelivery,
  type MemoryInbox,
  type SignDeliveryOptions,
} from '@feed-receiver/core/testing'
import { onTestFinished } from 'vitest'
import { openWire, requestBytes, type Wire, type WireResponse } from './wire.ts'

export const path = '/webhooks/feed'
export const secret = 'feed_whsec_contract_suite_current_0123456789'
export const otherSecret = 'feed_whsec_contract_suite_next_9876543210xyz'

export interface TestRequest {
  method?: string
  headers: Record<string, string>
  body?: Uint8Array
}

/** A receiver mounted somewhere, at `path` and for every method. */
export interface Mounted {
  send(request: TestRequest): Promise<WireResponse>
  close(): Promise<void>
}

export type Mount = (receiver: Receiver) => Promise<Mounted>

/** The same on a real socket. */
export interface Served {
  port: number
  close(): Promise<void>
}

export type Serve = (receiver: Receiver) => Promise<Served>

export interface Setup {
  receiver: Receiver
  inbox: MemoryInbox
  observations: Observation[]
  send(request: TestRequest): Promise<WireResponse>
  /** Signs and sends one delivery. */
  deliver(event: object | Uint8Array, options?: Partial<SignDeliveryOptions>): Promise<WireResponse>
}

/** A receiver mounted for one test, and taken down when the test is over. */
export async function setup(mount: Mount, options: Partial<ReceiverOptions> = {}): Promise<Setup> {
  const { receiver, inbox, observations } = makeReceiver(options)
  const { send, close } = await mount(receiver)
  onTestFinished(close)
  return {
    receiver,
    inbox,
    observations,
    send,
    deliver: (event, signing) => send(signDelivery(event, { secret, ...signing })),
  }
}

export interface SocketSetup extends Setup {
  port: number
  wire(): Promise<Wire>
}

/** The same on a real socket, to which a test may say exactly the bytes it means. */
export async function setupSocket(
  serve: Serve,
  options: Partial<ReceiverOptions> = {},
): Promise<SocketSetup> {
  let port = 0
  const mounted = await setup(async (receiver) => {
    const served = await serve(receiver)
    port = served.port
    return overSockets(served)
  }, options)
  return {
    ...mounted,
    port,
    async wire() {
      const wire = await openWire(port)
      onTestFinished(() => wire.destroy())
      return wire
    },
  }
}

/** Sends each request over a connection of its own. */
export function overSockets({ port, close }: Served): Mounted {
  return {
    async send(request) {
      const wire = await openWire(port)
      wire.send(requestBytes({ path, ...request }))
      const answer = await wire.answer(request.method)
      wire.destroy()
      return answer
    },
    close,
  }
}

function makeReceiver(options: Partial<ReceiverOptions>) {
  const inbox = memoryInbox()
  const observations: Observation[] = []
  const receiver = createReceiver({
    secrets: [secret],
    inbox,
    observe: (observation) => observations.push(observation),
    ...options,
  })
  return { receiver, inbox, observations }
}

let count = 0

/** An event with an id of its own. */
export function makeEvent(overrides: object = {}) {
  count += 1
  return {
    schema_version: '1.0',
    id: `evt_contract_${count}`,
    type: 'model_release',
    created_at: '2026-11-02T10:00:00Z',
    data: {
      provider: 'northwind-ai',
      category: 'models',
      subject: { type: 'model', key: 'northwind-1' },
      title: 'Northwind 1 is out',
      summary: null,
      evidence: 'documented',
      confirmation: 'confirmed',
      source_url: 'https://northwind-ai.example/changelog',
      source_published_at: null,
    },
    ...overrides,
  }
}

/** Resolves once the condition holds; rejects when it has not for five seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const givenUpAt = Date.now() + 5_000
  while (!condition()) {
    if (Date.now() > givenUpAt) throw new Error(`Still not so: ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** An inbox that stores nothing before it is released. */
export function holdInbox() {
  const inner = memoryInbox()
  const gate = new EventEmitter()
  let waiting = 0
  let isReleased = false
  const wait = async () => {
    waiting += 1
    if (!isReleased) await once(gate, 'release')
  }
  const inbox: DeliveryInbox = {
    accept: async (delivery) => (await wait(), inner.accept(delivery)),
    quarantine: async (delivery, reason) => (await wait(), inner.quarantine(delivery, reason)),
  }
  return {
    inbox,
    entries: inner.entries,
    waiting: () => waiting,
    release() {
      isReleased = true
      gate.emit('release')
    },
  }
}

/** An event whose body has exactly that many bytes. */
export function padTo(length: number): Buffer {
  const event = makeEvent({ padding: '' })
  const rest = length - Buffer.byteLength(JSON.stringify(event))
  return Buffer.from(JSON.stringify({ ...event, padding: 'x'.repeat(rest) }))
}
