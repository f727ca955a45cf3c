import { signatureHeader, type FeedEvent, type FeedEventData } from '@feed-receiver/core'
import { fixture } from '@feed-receiver/sender'
import { randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { sendRequest, type Answer } from './send-request.ts'
import type { Manner } from './write-body.ts'

/** Restarts the receiver; stops when the signal aborts. */
export type Restart = (signal: AbortSignal) => Promise<void>

export interface TargetOptions {
  url: URL
  /** The signing secret of the receiver, whole. */
  secret: string
  /** Another one that the receiver accepts as well; enables `rotation`. */
  secondSecret?: string | undefined
  /**
   * Restarts the receiver, and resolves once that is under way or done; enables `restart`. Its signal
   * aborts after a minute, and when the run ends.
   */
  restart?: Restart | undefined
  /** How often an event is stored, by its id; enables the checks of what is stored. */
  storedCount?: ((eventId: string) => Promise<number>) | undefined
  /** Aborts the run. */
  signal: AbortSignal
}

/** The receiver that is checked, as the checks see it. */
export interface Target extends Readonly<Omit<TargetOptions, 'secret'>> {
  /** A `destination_test` with an id of its own, beginning with `check_`. */
  makeEvent(data?: Partial<FeedEventData>): FeedEvent
  /** Signs and sends one delivery, and says what came back. */
  deliver(delivery?: Delivery): Promise<Answer>
  /** How many requests got no answer at all, not counting timeouts. */
  readonly brokenCount: number
}

/** How a delivery differs from an authentic one of a fresh event. */
export interface Delivery {
  event?: FeedEvent
  /** Members of the `data` of the fresh event. */
  data?: Partial<FeedEventData>
  /** What is signed in place of the event: JSON of an object, or a text or bytes as they are. */
  body?: (event: FeedEvent) => object | string
  secret?: string
  /** How far from now it is signed. */
  offsetSeconds?: number
  /** What goes into `Feed-Signature` in place of the genuine one; a list sends several of them. */
  forge?: (genuine: GenuineSignature) => string | string[] | undefined
  /** What is sent in place of the bytes that were signed. */
  tamper?: (body: Buffer) => Uint8Array
  /** Headers laid over the usual ones; `undefined` leaves one out. */
  headers?: Record<string, string | undefined>
  hasLowerCaseNames?: boolean
  /** How the body is sent, if not in one piece with its length. */
  manner?: Manner
  /** Keeps the connection; without one each delivery has its own. */
  agent?: Agent
}

export interface GenuineSignature {
  /** In seconds. */
  t: number
  hex: string
}

/** Makes the target of one run, whose ids no earlier run has used. */
export function createTarget({ secret: usual, ...options }: TargetOptions): Target {
  const { url, signal } = options
  const run = randomBytes(6).toString('hex')
  let eventCount = 0
  let brokenCount = 0
  return {
    ...options,
    makeEvent,
    deliver,
    get brokenCount() {
      return brokenCount
    },
  }

  function makeEvent(data: Partial<FeedEventData> = {}): FeedEvent {
    eventCount += 1
    return fixture('destination_test', {
      id: `check_${run}_${eventCount}`,
      created_at: new Date().toISOString(),
      data: { title: 'A conformance check, to be ignored', ...data },
    })
  }

  async function deliver({
    data,
    event = makeEvent(data),
    body: write = (same) => same,
    secret = usual,
    offsetSeconds = 0,
    forge = ({ t, hex }) => `t=${t},v1=${hex}`,
    tamper = (body) => body,
    headers = {},
    hasLowerCaseNames = false,
    manner = {},
    agent,
  }: Delivery = {}): Promise<Answer> {
    const written = write(event)
    const id = idOf(written) ?? event.id
    const body = toBytes(written)
    const t = Math.floor(Date.now() / 1_000) + offsetSeconds
    const hex = signatureHeader({ secret, timestampSeconds: t, body }).slice(-64)
    const sent = tamper(Buffer.from(body))
    const all = Object.entries({
      'Content-Type': 'application/json',
      'Feed-Signature': forge({ t, hex }),
      // The service sends both with every delivery, whatever is in the body.
      'Feed-Event-Id': id,
      'Idempotency-Key': `feed-event-${id}`,
      'User-Agent': 'FeedWebhook/1.0 (feed-receiver check)',
      ...(manner.chunkBytes === undefined && { 'Content-Length': String(sent.length) }),
      ...headers,
    }).flatMap(([name, value]) =>
      value === undefined ? [] : [[hasLowerCaseNames ? name.toLowerCase() : name, value] as const],
    )
    const request = { body: sent, headers: Object.fromEntries(all), manner, agent, signal }
    const answer = await sendRequest(url, request)
    if (answer.status === null && answer.error !== 'timeout') brokenCount += 1
    return answer
  }
}

function idOf(written: object | string): string | undefined {
  if (typeof written === 'string' || !('id' in written)) return undefined
  return typeof written.id === 'string' ? written.id : undefined
}

function toBytes(written: object | string): Buffer {
  if (typeof written === 'string' || written instanceof Uint8Array) return Buffer.from(written)
  return Buffer.from(JSON.stringify(written))
}
