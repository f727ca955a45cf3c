import { signatureHeader, type FeedEvent } from '@feed-receiver/core'
import type { AttemptRecord } from '../attempt.ts'
import type { Clock } from '../clock.ts'
import { createSender } from '../create-sender.ts'
import type { Outcome } from '../deliver.ts'
import { virtualClock } from '../virtual-clock.ts'
import { draftOf, type Draft } from './draft.ts'
import { needsProxy, openFaultProxy } from './fault-proxy.ts'
import { applyFault, type Fault } from './faults.ts'
import { openApp, type App } from './open-app.ts'
import type { RecordedDelivery } from './record-deliveries.ts'
import { testSecret } from './test-secret.ts'

/** An event, exact bytes, or what `readDeliveries` read; signed anew in any case. */
export type Deliverable = FeedEvent | Uint8Array | RecordedDelivery

export interface TestOptions {
  /**
   * The secret to sign with.
   * @default the environment variable FEED_SIGNING_SECRET, or else `testSecret`
   */
  secret?: string | undefined
  /** The secret of the fault `old_secret`. */
  oldSecret?: string | undefined
  /**
   * Where the app has its receiver; a URL has its own path.
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
  /** Read as JSON where it is JSON, else the text. */
  body: unknown
}

export interface Deliveries {
  /** How each delivery ended, in the order in which they were begun. */
  outcomes: Outcome[]
  /** All attempts of all deliveries. */
  attempts: AttemptRecord[]
  /** The answers of those attempts that had one. */
  answers: TestAnswer[]
}

/** Deliveries that begin once the current step of the program is over; await them. */
export interface TestDelivery extends Promise<Deliveries> {
  /** Makes each delivery that many times. */
  times(count: number): TestDelivery
  /** Makes them all at once, rather than one after the other. */
  concurrently(): TestDelivery
  /** Makes one attempt of each, without retries. */
  once(): TestDelivery
  /** Puts a fault into them; several add up, in the order given. */
  with(...faults: Fault[]): TestDelivery
}

interface Plan {
  drafts: Draft[]
  app: App
  times: number
  isConcurrent: boolean
  isOnce: boolean
  faults: Fault[]
}

/**
 * Delivers to an app over real HTTP, as the service does, retries included:
 * `await deliver(fixture('outage_started')).to(app).times(3).concurrently()`.
 *
 * @throws SenderError where the call itself is wrong; an app's failures are in the attempts.
 */
export function deliver(
  events: Deliverable | readonly Deliverable[],
  options: TestOptions = {},
): { to(app: App): TestDelivery } {
  const { secret = process.env['FEED_SIGNING_SECRET'] ?? testSecret } = options
  const list: readonly Deliverable[] = isList(events) ? events : [events]
  const drafts = list.map((event) => draftOf(event, secret))
  return {
    to(app) {
      const plan: Plan = {
        drafts,
        app,
        times: 1,
        isConcurrent: false,
        isOnce: false,
        faults: [],
      }
      return planned(plan, options)
    },
  }
}

function isList(events: Deliverable | readonly Deliverable[]): events is readonly Deliverable[] {
  return Array.isArray(events)
}

/** A promise that may be told more before it begins. */
function planned(plan: Plan, options: TestOptions): TestDelivery {
  const delivery: TestDelivery = Object.assign(
    Promise.resolve().then(() => run(plan, options)),
    {
      times: (count: number) => adjust({ times: count }),
      concurrently: () => adjust({ isConcurrent: true }),
      once: () => adjust({ isOnce: true }),
      with: (...faults: Fault[]) => adjust({ faults: [...plan.faults, ...faults] }),
    },
  )
  return delivery

  function adjust(changes: Partial<Plan>): TestDelivery {
    Object.assign(plan, changes)
    return delivery
  }
}

async function run(plan: Plan, options: TestOptions): Promise<Deliveries> {
  const { path = '/webhooks/feed', clock = virtualClock({ autoAdvance: true }) } = options
  const repeated = plan.drafts.flatMap((draft) => Array<Draft>(plan.times).fill(draft))
  const drafts = plan.faults.reduce(
    (changed, fault) => applyFault(fault, changed, options),
    repeated,
  )
  const app = await openApp(plan.app)
  const proxy = plan.faults.some(needsProxy)
    ? await openFaultProxy(app.origin, plan.faults)
    : undefined
  const to = (proxy?.origin ?? app.origin) + (app.path ?? path)
  const make = (draft: Draft) => makeDelivery(draft, { to, once: plan.isOnce, clock })
  try {
    const outcomes = plan.isConcurrent
      ? await Promise.all(drafts.map(make))
      : await inTurn(drafts, make)
    const attempts = outcomes.flatMap((outcome) => outcome.attempts)
    return { outcomes, attempts, answers: attempts.flatMap(answerOf) }
  } finally {
    await proxy?.close()
    await app.close()
  }
}

async function inTurn(drafts: Draft[], make: (draft: Draft) => Promise<Outcome>) {
  const outcomes: Outcome[] = []
  for (const draft of drafts) outcomes.push(await make(draft))
  return outcomes
}

async function makeDelivery(
  { id, body, signedBody, secret, offsetSeconds, headers }: Draft,
  { to, once, clock }: { to: string; once: boolean; clock: Clock },
): Promise<Outcome> {
  const signingClock = () => Date.now() + offsetSeconds * 1000
  await using sender = createSender({ secret, clock, signingClock })
  const timestampSeconds = Math.floor(signingClock() / 1000)
  const signature = signedBody && signatureHeader({ secret, timestampSeconds, body: signedBody })
  return await sender.deliver(body, {
    to,
    id,
    ...(once && { once }),
    headers: { ...headers, ...(signature !== undefined && { 'Feed-Signature': signature }) },
  })
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
