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
  type SignedDelivery,
  type SignDeliveryOptions,
} from '@feed-receiver/core/testing'
import { onTestFinished } from 'vitest'
import { openWire, requestBytes, type Wire, type WireResponse } from './wire.ts'

export const path = '/webhooks/feed'
export const secret = 'feed_whsec_contract_suite_current_0123456789'
export const otherSecret = 'feed_whsec_contract_suite_next_9876543210xyz'

/** A server on loopback with the receiver at `path`, for every method. */
export interface Served {
  port: number
  close(): Promise<void>
}

export type Serve = (receiver: Receiver) => Promise<Served>

export interface Setup {
  receiver: Receiver
  inbox: MemoryInbox
  observations: Observation[]
  port: number
  /** Sends one signed delivery over a connection of its own. */
  deliver(event: object | Uint8Array, options?: Partial<SignDeliveryOptions>): Promise<WireResponse>
  /** Sends one delivery as it is. */
  post(delivery: Pick<SignedDelivery, 'headers' | 'body'>): Promise<WireResponse>
  wire(): Promise<Wire>
}

/** A receiver on a real server, taken down when the test is over. */
export async function setup(serve: Serve, options: Partial<ReceiverOptions> = {}): Promise<Setup> {
  const inbox = memoryInbox()
  const observations: Observation[] = []
  const receiver = createReceiver({
    secrets: [secret],
    inbox,
    observe: (observation) => observations.push(observation),
    ...options,
  })
  const { port, close } = await serve(receiver)
  const wires: Wire[] = []
  onTestFinished(async () => {
    for (const wire of wires) wire.destroy()
    await close()
  })

  async function open(): Promise<Wire> {
    const opened = await openWire(port)
    wires.push(opened)
    return opened
  }

  async function post({ headers, body }: Pick<SignedDelivery, 'headers' | 'body'>) {
    const connection = await open()
    connection.send(requestBytes({ path, headers, body }))
    return connection.answer()
  }

  return {
    receiver,
    inbox,
    observations,
    port,
    post,
    deliver: (event, signing) => post(signDelivery(event, { secret, ...signing })),
    wire: open,
  }
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
