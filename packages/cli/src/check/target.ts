import { signatureHeader, type FeedEvent } from '@feed-receiver/core'
import { fixture, type FixtureOverrides } from '@feed-receiver/sender'
import { randomBytes } from 'node:crypto'
import type { Agent } from 'node:http'
import { sendRequest, type Answer } from './send-request.ts'
import type { Manner } from './write-body.ts'

/** The receiver that is checked, as the checks see it. */
export interface Target {
  readonly url: URL
  /** A `destination_test` with an id of its own, beginning with `check_`. */
  makeEvent(overrides?: FixtureOverrides): FeedEvent
  /** Signs and sends one delivery, and says what came back. */
  deliver(event: object | Uint8Array, options?: DeliverOptions): Promise<Answer>
  /** How often a request has got no answer at all, a slow one left aside. */
  readonly brokenCount: number
  /** Aborted once nobody waits for the result any more. */
  readonly signal: AbortSignal
  readonly secondSecret: string | undefined
  readonly restart: Restart | undefined
  readonly storedCount: ((eventId: string) => Promise<number>) | undefined
}

/** Restarts the receiver; what it has begun is to end with the signal. */
export type Restart = (signal: AbortSignal) => Promise<void>

export interface TargetOptions {
  url: URL
  secret: string
  secondSecret: string | undefined
  restart: Restart | undefined
  storedCount: ((eventId: string) => Promise<number>) | undefined
  signal: AbortSignal
}

export interface DeliverOptions {
  /**
   * Signs the delivery.
   * @default the secret of the run
   */
  secret?: string
  /**
   * How far from now the delivery is signed.
   * @default 0
   */
  offsetSeconds?: number
  /** What goes into `Feed-Signature` in place of the genuine one; a list sends several of them. */
  forge?: (genuine: GenuineSignature) => string | string[] | undefined
  /** What is sent in place of the bytes that were signed. */
  tamper?: (body: Buffer) => Uint8Array
  /** Headers laid over the usual ones; `undefined` leaves one out. */
  headers?: Record<string, string | undefined>
  /**
   * Whether the names of headers are written in lower case.
   * @default false
   */
  hasLowerCaseNames?: boolean
  /**
   * How the body is written.
   * @default in one piece, with its length
   */
  manner?: Manner
  /**
   * Keeps the connection for later deliveries.
   * @default a connection of its own for each delivery
   */
  agent?: Agent
}

export interface GenuineSignature {
  timestampSeconds: number
  /** The 64 hex digits. */
  hex: string
}

/** Makes the target of one run, whose ids no earlier run has used. */
export function createTarget({ url, secret: usual, signal, ...rest }: TargetOptions): Target {
  const run = randomBytes(6).toString('hex')
  let eventCount = 0
  let brokenCount = 0

  return {
    url,
    makeEvent,
    deliver,
    signal,
    ...rest,
    get brokenCount() {
      return brokenCount
    },
  }

  function makeEvent({ data, ...others }: FixtureOverrides = {}): FeedEvent {
    eventCount += 1
    return fixture('destination_test', {
      id: `check_${run}_${eventCount}`,
      created_at: new Date().toISOString(),
      ...others,
      data: { title: 'A conformance check, to be ignored', ...data },
    })
  }

  async function deliver(
    event: object | Uint8Array,
    {
      secret = usual,
      offsetSeconds = 0,
      forge,
      tamper,
      headers = {},
      hasLowerCaseNames = false,
      ...how
    }: DeliverOptions = {},
  ): Promise<Answer> {
    const body = Buffer.from(event instanceof Uint8Array ? event : JSON.stringify(event))
    const timestampSeconds = Math.floor(Date.now() / 1_000) + offsetSeconds
    const genuine = signatureHeader({ secret, timestampSeconds, body })
    const sent = tamper ? tamper(Buffer.from(body)) : body
    const answer = await sendRequest(url, {
      body: sent,
      headers: nameHeaders(hasLowerCaseNames, {
        'Content-Type': 'application/json',
        'Feed-Signature': forge ? forge({ timestampSeconds, hex: genuine.slice(-64) }) : genuine,
        ...idHeaders(findId(event, body) ?? makeEvent().id),
        'User-Agent': 'FeedWebhook/1.0 (feed-receiver check)',
        ...(how.manner?.chunkBytes === undefined && { 'Content-Length': String(sent.length) }),
        ...headers,
      }),
      signal,
      ...how,
    })
    if (answer.status === null && answer.error !== 'timeout') brokenCount += 1
    return answer
  }
}

// The service sends both headers with every delivery, whatever is in the body.
function idHeaders(id: string): Record<string, string> {
  return { 'Feed-Event-Id': id, 'Idempotency-Key': `feed-event-${id}` }
}

function findId(event: object, body: Buffer): string | undefined {
  if ('id' in event && typeof event.id === 'string') return event.id
  return /"id":\s*"(check_\w+)"/.exec(body.toString('latin1'))?.[1]
}

function nameHeaders(
  hasLowerCaseNames: boolean,
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const named: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) named[hasLowerCaseNames ? name.toLowerCase() : name] = value
  }
  return named
}
