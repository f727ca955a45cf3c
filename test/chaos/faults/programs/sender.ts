/**
 * Sends every event until it is acknowledged, like the service, but with much shorter delays: a
 * fraction of a second instead of half a minute. After a kill and a restart, it continues from its
 * own log.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createSender, type AttemptRecord, type Sender } from '@feed-receiver/sender'
import { formatAttempt, isAcknowledged, readAttempts, type AttemptLine } from '../attempt-log.ts'
import { eventAt, planDeliveries } from '../deliveries.ts'
import { reportReady, takeOrders } from './orders.ts'
import { readSettings, type SenderSettings } from './settings.ts'

export type SenderOrder = { allowed: number; perSecond: number } | { secret: string }

const maxEventsAtOnce = 48

const settings = readSettings<SenderSettings>()
const { seed, events, to, logPath } = settings
const pace = { allowed: settings.allowed, perSecond: settings.perSecond }
let signing = startSigning(settings.secret)

const before = readAttempts(logPath)
const acknowledged = new Set(before.filter(isAcknowledged).map(({ index }) => index))
console.log(`sending, with ${acknowledged.size} acknowledged before`)
const log = openSync(logPath, 'a')
// A line that a kill cut off must not merge with the next one.
writeSync(log, '\n')

takeOrders<SenderOrder>(async (order) => {
  if ('allowed' in order) Object.assign(pace, order)
  if ('secret' in order) await changeSecret(order.secret)
})
reportReady()
setInterval(() => process.send?.({ acknowledged: acknowledged.size }), 100)
await sendAll()

async function sendAll(): Promise<void> {
  const inFlight = new Set<Promise<void>>()
  let dueAt = performance.now()
  for (const [position, { index, copies }] of planDeliveries(seed, events).entries()) {
    if (acknowledged.has(index)) continue
    while (position >= pace.allowed) await delay(10)
    // Late timers are made up for, but not a time in which nothing was allowed.
    dueAt = Math.max(dueAt, performance.now() - 1_000) + 1_000 / pace.perSecond
    await delay(Math.max(0, dueAt - performance.now()))
    while (inFlight.size >= maxEventsAtOnce) await Promise.race(inFlight)
    const sending = sendCopies(index, copies).finally(() => inFlight.delete(sending))
    inFlight.add(sending)
  }
  await Promise.all(inFlight)
}

async function sendCopies(index: number, copies: number): Promise<void> {
  await Promise.all(Array.from({ length: copies }, () => sendUntilAcknowledged(index)))
}

async function sendUntilAcknowledged(index: number): Promise<void> {
  const event = eventAt(seed, index)
  let retryDelayMs = 25
  do {
    note({ kind: 'sent', index })
    const record = await signing.attempt((sender) => sender.attempt(event, { to }))
    const answer = { kind: 'answered', index, ...readAnswer(record) } as const
    note(answer)
    if (isAcknowledged(answer)) acknowledged.add(index)
    else await delay(retryDelayMs)
    retryDelayMs = Math.min(retryDelayMs * 2, 400)
  } while (!acknowledged.has(index))
}

function readAnswer({ status, cause, responseBody = '' }: AttemptRecord) {
  const outcome = /"(?:status|code)":"(\w+)"/.exec(responseBody)?.[1] ?? cause
  return { status, outcome }
}

function note(line: AttemptLine): void {
  writeSync(log, formatAttempt(line))
}

interface Signing {
  attempt(run: (sender: Sender) => Promise<AttemptRecord>): Promise<AttemptRecord>
  /** Resolves once no delivery with its secret is in flight. */
  idle(): Promise<void>
}

function startSigning(secret: string): Signing {
  const sender = createSender({ secret })
  const inFlight = new Set<Promise<AttemptRecord>>()
  return {
    async attempt(run) {
      const attempt = run(sender)
      inFlight.add(attempt)
      return await attempt.finally(() => inFlight.delete(attempt))
    },
    async idle() {
      await Promise.allSettled(inFlight)
      await sender.close()
    },
  }
}

async function changeSecret(secret: string): Promise<void> {
  const old = signing
  signing = startSigning(secret)
  await old.idle()
}
