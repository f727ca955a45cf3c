import { signatureHeader } from '@feed-receiver/core/internal'
import { type FeedEvent } from '@feed-receiver/core'
import { checkMark } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { sendRequest, type Answer } from './send-request.ts'
import type { BodyPacing } from './write-body.ts'

/** Restarts the receiver; stops when the signal aborts. */
export type Restart = (signal: AbortSignal) => Promise<void>

export interface TargetOptions {
  url: URL
  secret: string
  /** A second secret that the receiver accepts; enables `rotation`. */
  secondSecret?: string | undefined
  /**
   * Restarts the receiver, and resolves once the restart is in progress or done; enables `restart`.
   * Its signal aborts after a minute, and when the run ends.
   */
  restart?: Restart | undefined
  /** Returns how often an event is stored, by its id; enables the checks of stored events. */
  storedCount?: ((eventId: string) => Promise<number>) | undefined
  signal: AbortSignal
}

/** The receiver that is checked, as the checks see it. */
export interface Target extends Readonly<Omit<TargetOptions, 'secret'>> {
  /** A `destination_test` with a unique id that begins with `check_`. */
  makeEvent(data?: object): FeedEvent
  deliver(delivery?: Delivery): Promise<Answer>
  /** How many requests got no response at all. */
  readonly unansweredCount: number
}

/** How a delivery differs from an authentic one of a new event. */
export interface Delivery {
  event?: FeedEvent
  /** Members of the `data` of the new event. */
  data?: object
  /** Members that override those of the event; undefined leaves one out. */
  members?: Record<string, unknown>
  isReversed?: boolean
  /**
   * JSON for the event's `data.benchmark.current`: the interface leaves its names and values open,
   * so a receiver has no other reason to reject them.
   */
  current?: string
  /** The body to sign instead of the event's JSON. */
  body?: (json: string, event: object) => string | Uint8Array
  secret?: string
  offsetSeconds?: number
  /**
   * The value of `Feed-Signature` instead of the genuine one, made of its parts; a list sends
   * several of them, and null none.
   */
  signature?: (genuine: { t: number; hex: string }) => string | string[] | null
  tamper?: (body: string) => string
  /** Headers that override the usual ones; null leaves one out. */
  headers?: Record<string, string | null>
  hasLowerCaseNames?: boolean
  /** How the body is sent, if not in one piece with its length. */
  pacing?: BodyPacing
  /** Reuses the connection. Without it each delivery has its own. */
  agent?: Agent
}

export const wrongSecret = 'feed_whsec_of_nobody_at_all'

/** Creates the target of one run, with ids that no earlier run has used. */
export function createTarget({ secret: usual, ...options }: TargetOptions): Target {
  const { url, signal } = options
  const run = randomBytes(6).toString('hex')
  let eventCount = 0
  let unansweredCount = 0
  return {
    ...options,
    makeEvent,
    deliver,
    get unansweredCount() {
      return unansweredCount
    },
  }

  function makeEvent(data?: object): FeedEvent {
    eventCount += 1
    return fixture('destination_test', {
      id: `check_${run}_${eventCount}`,
      created_at: new Date().toISOString(),
      data: { title: 'A conformance check, to be ignored', ...data },
    })
  }

  async function deliver(delivery: Delivery = {}): Promise<Answer> {
    const { data, event = makeEvent(data), secret = usual, offsetSeconds = 0 } = delivery
    const { hasLowerCaseNames = false, pacing = {}, agent } = delivery
    const { signature = genuine, tamper } = delivery
    const { id, body } = writeEvent(event, delivery)
    const t = Math.floor(Date.now() / 1_000) + offsetSeconds
    const hex = signatureHeader({ secret, timestampSeconds: t, body }).slice(-64)
    const sent = tamper ? Buffer.from(tamper(body.toString())) : body
    const all = Object.entries({
      'Content-Type': 'application/json',
      'Feed-Signature': signature({ t, hex }),
      // The service sends both with every delivery, whatever the body.
      'Feed-Event-Id': id,
      'Idempotency-Key': `feed-event-${id}`,
      'User-Agent': 'FeedWebhook/1.0 (feed-receiver check)',
      'Feed-Receiver-Check': checkMark({ secret: usual, timestampSeconds: t, body: sent }),
      ...(pacing.chunkBytes === undefined && { 'Content-Length': String(sent.length) }),
      ...delivery.headers,
    }).flatMap(([name, value]) =>
      value === null ? [] : [[hasLowerCaseNames ? name.toLowerCase() : name, value] as const],
    )
    const request = { body: sent, headers: Object.fromEntries(all), pacing, agent, signal }
    const answer = await sendRequest(url, request)
    if (answer.status === null) unansweredCount += 1
    return answer
  }
}

function genuine({ t, hex }: { t: number; hex: string }): string {
  return `t=${t},v1=${hex}`
}

/** The bytes to sign for an event, and the id in them. */
function writeEvent(
  event: FeedEvent,
  { members, isReversed, current, body = (json) => json }: Delivery,
): { id: string; body: Buffer } {
  const named = Object.entries(event)
  const inOrder = Object.fromEntries(isReversed ? named.toReversed() : named)
  const shown: Record<string, unknown> = { ...inOrder, ...members }
  const id = typeof shown['id'] === 'string' ? shown['id'] : event.id
  const placed = { ...shown, data: { ...event.data, benchmark: { current: 'here' } } }
  const json =
    current === undefined
      ? JSON.stringify(shown)
      : JSON.stringify(placed).replace('"here"', () => current)
  return { id, body: Buffer.from(body(json, shown)) }
}
