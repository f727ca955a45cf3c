import { signatureHeader, type FeedEvent } from '@feed-receiver/core'
import { checkMark } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { sendRequest, type Answer } from './send-request.ts'
import type { Manner } from './write-body.ts'
import { fill } from '../texts.ts'

/** Restarts the receiver; stops when the signal aborts. */
export type Restart = (signal: AbortSignal) => Promise<void>

export interface TargetOptions {
  url: URL
  /** The full signing secret of the receiver. */
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
  /** Aborts the run. */
  signal: AbortSignal
}

/** The receiver that is checked, as the checks see it. */
export interface Target extends Readonly<Omit<TargetOptions, 'secret'>> {
  /** A `destination_test` with a unique id that begins with `check_`. */
  makeEvent(data?: object): FeedEvent
  /** Signs and sends one delivery, and returns the response. */
  deliver(delivery?: Delivery): Promise<Answer>
  /** How many requests got no response at all, not counting timeouts. */
  readonly brokenCount: number
}

/** How a delivery differs from an authentic one of a new event. */
export interface Delivery {
  event?: FeedEvent
  /** Members of the `data` of the new event. */
  data?: object
  /** Members that override those of the event. */
  members?: object
  /** A member that is left out of the event. */
  without?: string
  /** Writes the members of the event in the opposite order. */
  isReversed?: boolean
  /**
   * JSON for the event's `data.benchmark.current`: the interface leaves its names and values open,
   * so a receiver has no other reason to reject them. In it `{x*9}` is x nine times.
   */
  current?: string
  /** The text to sign instead of the event's JSON, for which `{event}` or `{indented}` stands. */
  text?: string
  /** Replacements by pattern in the bytes to sign, read as Latin-1. */
  edit?: Edit
  secret?: string
  /** The offset of the timestamp from now. */
  offsetSeconds?: number
  /**
   * The value of `Feed-Signature` instead of the genuine one, with the values that `forge` knows; a
   * list sends several of them, and null none.
   */
  forge?: string | string[] | null
  /** Like `edit`, in the bytes to send, after signing. */
  tamper?: Edit
  /** Headers that override the usual ones; null leaves one out. */
  headers?: Record<string, string | null>
  hasLowerCaseNames?: boolean
  /** How the body is sent, if not in one piece with its length. */
  manner?: Manner
  /** Reuses the connection. Without it each delivery has its own. */
  agent?: Agent
}

type Edit = Record<string, string>

/** One delivery, or several by their labels. */
export interface Sent extends Delivery {
  each?: Record<string, Delivery>
}

/** Creates the target of one run, with ids that no earlier run has used. */
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
    const { hasLowerCaseNames = false, manner = {}, agent } = delivery
    const { id, body } = writeEvent(event, delivery)
    const t = Math.floor(Date.now() / 1_000) + offsetSeconds
    const hex = signatureHeader({ secret, timestampSeconds: t, body }).slice(-64)
    const sent = editBytes(body, delivery.tamper)
    const all = Object.entries({
      'Content-Type': 'application/json',
      'Feed-Signature': forge(delivery.forge, t, hex),
      // The service sends both with every delivery, whatever the body.
      'Feed-Event-Id': id,
      'Idempotency-Key': `feed-event-${id}`,
      'User-Agent': 'FeedWebhook/1.0 (feed-receiver check)',
      'Feed-Receiver-Check': checkMark({ secret: usual, timestampSeconds: t, body: sent }),
      ...(manner.chunkBytes === undefined && { 'Content-Length': String(sent.length) }),
      ...delivery.headers,
    }).flatMap(([name, value]) =>
      value === null ? [] : [[hasLowerCaseNames ? name.toLowerCase() : name, value] as const],
    )
    const request = { body: sent, headers: Object.fromEntries(all), manner, agent, signal }
    const answer = await sendRequest(url, request)
    if (answer.status === null && answer.error !== 'timeout') brokenCount += 1
    return answer
  }
}

/** The bytes to sign for an event, and the id in them. */
function writeEvent(
  event: FeedEvent,
  { members, without = '', isReversed, current, text = '{event}', edit }: Delivery,
): { id: string; body: Buffer } {
  const named = Object.entries(event)
  const inOrder = Object.fromEntries(isReversed ? named.toReversed() : named)
  const shown = { ...inOrder, ...members, [without]: undefined }
  const id = typeof shown['id'] === 'string' ? shown['id'] : event.id
  const placed = { ...shown, data: { ...event.data, benchmark: { current: 'here' } } }
  const json =
    current === undefined
      ? JSON.stringify(shown)
      : JSON.stringify(placed).replace('"here"', () => repeated(current))
  const signed = fill(text, { event: json, indented: JSON.stringify(shown, null, '\t ') })
  return { id, body: editBytes(Buffer.from(signed), edit) }
}

function repeated(text: string): string {
  return text.replaceAll(/\{(.)\*(\d+)\}/g, (_, one: string, times) => one.repeat(Number(times)))
}

// Latin-1 has one character for each byte, so that an edit may create invalid UTF-8.
function editBytes(body: Buffer, edit: Edit = {}): Buffer {
  const edited = Object.entries(edit).reduce(
    (text, [pattern, to]) => text.replace(new RegExp(pattern, 's'), to),
    body.toString('latin1'),
  )
  return Buffer.from(edited, 'latin1')
}

function forge(form: Delivery['forge'] = 't={t},v1={hex}', t: number, hex: string) {
  const [hex8, hex63] = [hex.slice(0, 8), hex.slice(0, 63)]
  const others = { upper: hex.toUpperCase(), other: 'ab'.repeat(32), long: 'ab'.repeat(4_000) }
  const values = { t, earlier: t - 1, later: t + 60, hex, hex8, hex63, ...others }
  if (form === null) return null
  return Array.isArray(form) ? form.map((each) => fill(each, values)) : fill(form, values)
}
