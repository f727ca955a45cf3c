import type { FeedEvent } from '@feed-receiver/core'
import type { Clock } from '@feed-receiver/core/node'
import type { AttemptRecord } from '../attempt/attempt.ts'
import { readEvent } from '../attempt/delivery-request.ts'
import { createSender } from '../create-sender.ts'
import type { Outcome } from '../attempt/deliver.ts'
import { virtualClock } from '../virtual-clock.ts'
import { faultProxy, needProxy } from './fault-proxy.ts'
import { applyFault, sign, type Draft, type Fault, type FaultOptions } from './faults.ts'
import { withApp, type App } from './with-app.ts'
import type { RecordedDelivery } from './record-deliveries.ts'

/** An event, exact bytes, or a delivery from `readDeliveries`; always signed anew. */
export type Deliverable = FeedEvent | Uint8Array | RecordedDelivery

/** A signing secret for tests, which protects nothing. */
export const testSecret = 'feed_whsec_for_tests_only'

export interface TestOptions extends FaultOptions {
  /**
   * The secret to sign with.
   * @default the environment variable FEED_SIGNING_SECRET, or else `testSecret`
   */
  secret?: string | undefined
  /**
   * The path of the receiver in the app; a URL has its own path.
   * @default '/webhooks/feed'
   */
  path?: string | undefined
  /**
   * Decides when retries are due.
   * @default a virtual clock, on which 63.5 minutes of retries pass at once
   */
  clock?: Clock | undefined
}

export interface TestAnswer {
  status: number
  /** Parsed if it is JSON, else the text. */
  body: unknown
}

export interface Deliveries {
  /** The outcome of each delivery, in the order in which they started. */
  outcomes: Outcome[]
  /** All attempts of all deliveries. */
  attempts: AttemptRecord[]
  /** The answers to the attempts that got one. */
  answers: TestAnswer[]
}

/** Deliveries that start once the current synchronous code has ended; await them. */
export interface TestDelivery extends Promise<Deliveries> {
  /** Makes each delivery `count` times. */
  times(count: number): TestDelivery
  /** Makes all deliveries at once instead of one after the other. */
  concurrently(): TestDelivery
  /** Makes one attempt for each delivery, without retries. */
  once(): TestDelivery
  /** Injects faults into the deliveries; several add up, in the given order. */
  with(...faults: Fault[]): TestDelivery
}

const defaults = { times: 1, isConcurrent: false, once: false, faults: Array<Fault>() }

/**
 * Delivers to an app over real HTTP, as the service does, retries included:
 * `await deliver(fixture('outage_started')).to(app).times(3).concurrently()`.
 *
 * @throws SenderError for a mistake in the call; failures of the app are in the attempts.
 */
export function deliver(
  events: Deliverable | readonly Deliverable[],
  options: TestOptions = {},
): { to(app: App): TestDelivery } {
  const { secret = process.env['FEED_SIGNING_SECRET'] || testSecret } = options
  const drafts = [events].flat().map((event) => draftOf(event, secret))
  return { to: (app) => plan(app, drafts, options) }
}

/** @throws SenderError `invalid_event`. */
function draftOf(event: Deliverable, secret: string): Draft {
  if ('sha256' in event) {
    const { id, body, headers } = event
    // Removes the headers that the recorded delivery did not have.
    return { id, body, secret, offsetSeconds: 0, headers: { ...absent, ...headers } }
  }
  const { eventId, body } = readEvent(event)
  return { id: eventId, body, secret, offsetSeconds: 0, headers: {} }
}

const absent = {
  'Content-Type': undefined,
  'Feed-Event-Id': undefined,
  'Idempotency-Key': undefined,
}

/** A promise that you can configure until it starts. */
function plan(app: App, drafts: Draft[], options: TestOptions): TestDelivery {
  let settings = defaults
  const change = (changes: Partial<typeof defaults>): TestDelivery => {
    settings = { ...settings, ...changes }
    return delivery
  }
  const begun = Promise.resolve().then(() => run(app, drafts, { ...options, ...settings }))
  const delivery: TestDelivery = Object.assign(begun, {
    times: (times: number) => change({ times }),
    concurrently: () => change({ isConcurrent: true }),
    once: () => change({ once: true }),
    with: (...faults: Fault[]) => change({ faults: [...settings.faults, ...faults] }),
  })
  return delivery
}

async function run(
  app: App,
  drafts: Draft[],
  options: TestOptions & typeof defaults,
): Promise<Deliveries> {
  const { times, isConcurrent, once, faults, path = '/webhooks/feed' } = options
  const { clock = virtualClock({ autoAdvance: true }) } = options
  const repeated = drafts.flatMap((draft) => Array<Draft>(times).fill(draft))
  const changed = faults.reduce((before, fault) => applyFault(fault, before, options), repeated)
  const deliverAll = async (to: string) => {
    const make = (draft: Draft) => makeDelivery(draft, { to, once, clock })
    return isConcurrent ? await Promise.all(changed.map(make)) : await inTurn(changed, make)
  }
  const outcomes = await withApp(app, (opened) => {
    const deliverTo = ({ origin }: { origin: string }) => deliverAll(origin + (opened.path ?? path))
    if (!needProxy(faults)) return deliverTo(opened)
    return withApp(faultProxy(opened.origin, faults), deliverTo)
  })
  const attempts = outcomes.flatMap((outcome) => outcome.attempts)
  return { outcomes, attempts, answers: attempts.flatMap(answerOf) }
}

async function inTurn(drafts: Draft[], make: (draft: Draft) => Promise<Outcome>) {
  const outcomes: Outcome[] = []
  for (const draft of drafts) outcomes.push(await make(draft))
  return outcomes
}

async function makeDelivery(
  draft: Draft,
  { to, once, clock }: { to: string; once: boolean; clock: Clock },
): Promise<Outcome> {
  const { id, body, signedBody, secret, offsetSeconds } = draft
  const signingClock = () => Date.now() + offsetSeconds * 1000
  const sender = createSender({ secret, clock, signingClock })
  const headers = signedBody ? { ...draft.headers, 'Feed-Signature': sign(draft) } : draft.headers
  try {
    return await sender.deliver(body, { to, id, headers, ...(once && { once }) })
  } finally {
    await sender.close()
  }
}

function answerOf({ status, responseBody = '' }: AttemptRecord): TestAnswer[] {
  return status === null ? [] : [{ status, body: readAnswer(responseBody) }]
}

function readAnswer(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
