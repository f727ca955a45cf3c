import { EventEmitter, once } from 'node:events'
import {
  createReceiver,
  type DeliveryInbox,
  type Observation,
  type Receiver,
  type ReceiverOptions,
} from '@feed-receiver/core'
import { memoryInbox, signDelivery, type MemoryInbox } from '@feed-receiver/core/testing'
import { onTestFinished } from 'vitest'
import type { Session, SocketSession, TestRequest } from './session.ts'
import type { Vectors } from './vectors/read-vectors.ts'
import { openWire, requestBytes, type WireResponse } from './wire.ts'

export type { TestRequest }

export const path = '/webhooks/feed'
export const secret = 'feed_whsec_contract_suite_current_0123456789'
export const otherSecret = 'feed_whsec_contract_suite_next_9876543210xyz'

/** A receiver mounted at `path` for every method. */
export interface Mounted {
  send(request: TestRequest): Promise<WireResponse>
  close(): Promise<void>
  /** Whether the receiver gets each body as bytes, so no response has to close a connection. */
  givesBytes?: true
}

/** Which receiver to create, and what to send to it. */
export interface Making {
  /** @default the one for Node */
  createReceiver?: (options: ReceiverOptions) => Receiver
  /** @default 'everywhere' */
  vectors?: Vectors
}

export type Mount = Making & ((receiver: Receiver) => Promise<Mounted>)

/** The same on a real socket. */
export interface Served {
  port: number
  close(): Promise<void>
}

export type Serve = Making & ((receiver: Receiver) => Promise<Served>)

export interface Setup extends Session {
  receiver: Receiver
  inbox: MemoryInbox
  observations: Observation[]
  givesBytes: boolean
}

/** A receiver mounted for one test, and removed after it. */
export async function setup(mount: Mount, options: Partial<ReceiverOptions> = {}): Promise<Setup> {
  const { receiver, inbox, observations } = makeReceiver(options, mount)
  const { send, close, givesBytes = false } = await mount(receiver)
  onTestFinished(close)
  return {
    receiver,
    inbox,
    observations,
    givesBytes,
    send,
    deliver: (event, signing) => send(signDelivery(event, { secret, ...signing })),
    holds: async () => ({
      stored: inbox.entries.size,
      quarantined: inbox.quarantined.map(({ reason }) => reason),
    }),
    stop: () => receiver.stop(),
  }
}

export interface SocketSetup extends Setup, SocketSession {}

/** The same on a real socket. */
export async function setupSocket(
  serve: Serve,
  options: Partial<ReceiverOptions> = {},
): Promise<SocketSetup> {
  let port = 0
  const mount = async (receiver: Receiver) => {
    const served = await serve(receiver)
    port = served.port
    return overSockets(served)
  }
  const mounted = await setup(Object.assign(mount, makingOf(serve)), options)
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

/** Sends each request over its own connection. */
export function overSockets({ port, close }: Served, target = path): Mounted {
  return {
    async send(request) {
      const wire = await openWire(port)
      wire.send(requestBytes({ path: target, ...request }))
      const answer = await wire.answer(request.method)
      wire.destroy()
      return answer
    },
    close,
  }
}

/** For a mount that wraps another one. */
export function makingOf({ createReceiver: create, vectors }: Making): Making {
  return { ...(create && { createReceiver: create }), ...(vectors && { vectors }) }
}

function makeReceiver(options: Partial<ReceiverOptions>, { createReceiver: create }: Making) {
  const inbox = memoryInbox()
  const observations: Observation[] = []
  const receiver = (create ?? createReceiver)({
    secrets: [secret],
    inbox,
    observe: (observation) => observations.push(observation),
    ...options,
  })
  return { receiver, inbox, observations }
}

let count = 0

/** An event with its own id. */
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

/** An inbox that waits before it stores. */
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

/** An event with a body of exactly that many bytes. */
export function padTo(length: number): Buffer {
  const event = makeEvent({ padding: '' })
  const rest = length - Buffer.byteLength(JSON.stringify(event))
  return Buffer.from(JSON.stringify({ ...event, padding: 'x'.repeat(rest) }))
}
