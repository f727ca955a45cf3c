import { maxAttempts, retryDelayMs, SenderError, type AttemptRecord } from '@feed-receiver/sender'
import { isDamage, signDamaged } from '@feed-receiver/sender/testing'
import type { DeliveryFault } from '../../faults/delivery-faults.ts'
import type { WebhookContext } from '../webhook-context.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { AttemptOutcome } from './finish-attempts.ts'
import type { SenderPool } from './sender-pool.ts'

/** Makes one attempt and says what came of it. Never rejects. */
export async function makeAttempt(
  context: WebhookContext,
  pool: SenderPool,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Promise<AttemptOutcome> {
  const isChat = delivery.destinationKind !== 'signed'
  const fault = faults.length > 0 ? faults.join(', ') : null
  const base = { deliveryId: delivery.id, attempt: delivery.attempt, fault }
  if (isChat && !context.sendChat) return { ...base, ...rendered }
  try {
    const record = await send(pool, delivery, isChat ? [] : faults)
    return { ...base, ...readRecord(record, delivery, faults) }
  } catch (error) {
    if (!(error instanceof SenderError)) context.onError(error)
    return { ...base, ...unsent(error, delivery) }
  }
}

async function send(
  pool: SenderPool,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Promise<AttemptRecord> {
  const { eventId: id, kind, attempt, secretSealed } = delivery
  return await pool.lend(delivery, async ({ sender, to, secret }) => {
    const whole = Buffer.from(delivery.body)
    const damages = faults.filter(isDamage)
    const damaged = damages.length > 0 ? signDamaged(damages, { id, body: whole, secret }) : null
    const headers = secretSealed ? damaged?.headers : chatHeaders
    const options = { to, id, attempt, once: kind === 'test', headers }
    const body = damaged?.body ?? whole
    const record = await sender.attempt(body, options)
    if (faults.includes('duplicate') && record.result === 'accepted') {
      await sender.attempt(body, options)
    }
    return record
  })
}

/** Nothing is signed for a chat (R182). */
const chatHeaders = {
  'Feed-Signature': undefined,
  'Feed-Event-Id': undefined,
  'Idempotency-Key': undefined,
}

type Finding = Omit<AttemptOutcome, 'deliveryId' | 'attempt' | 'fault'>

const nothing = {
  status: null,
  signedAt: null,
  errorCode: null,
  errorMessage: null,
  durationMs: 0,
  retryAfter: null,
  nextDelayMs: null,
  responseBody: null,
}

/** A chat whose messages are only kept in the journal. */
const rendered: Finding = { ...nothing, result: 'accepted', cause: 'rendered' }

function readRecord(
  record: AttemptRecord,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Finding {
  const { result, cause, status, error, durationMs } = record
  const { retryAfter = null, nextDelayMs = null, responseBody = null } = record
  const finding: Finding = {
    result: result === 'aborted' ? 'interrupted' : result,
    cause,
    status,
    signedAt: delivery.destinationKind === 'signed' ? record.signedAt : null,
    errorCode: error?.code ?? null,
    errorMessage: error?.message ?? null,
    durationMs,
    retryAfter,
    nextDelayMs,
    responseBody,
  }
  // As after a crash: it may have arrived, and the next attempt is due at once.
  if (result === 'aborted') return { ...finding, nextDelayMs: isLast(delivery) ? null : 0 }
  return faults.length === 0 ? finding : bend(finding, delivery, faults)
}

/** Faults of the service's own judgement. */
function bend(
  finding: Finding,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Finding {
  const { result, cause, status, retryAfter, nextDelayMs } = finding
  if (result === 'accepted' && faults.includes('lose_answer')) {
    const nextMs = backoffAfter(delivery)
    return { ...finding, result: 'retry', cause: 'lost_by_fault', nextDelayMs: nextMs }
  }
  const isUnlisted = cause === 'unlisted_status' || cause === 'redirect'
  if (isUnlisted && faults.includes('end_unlisted')) {
    return { ...finding, result: 'pause', cause: 'ended_by_fault', nextDelayMs: null }
  }
  if (nextDelayMs === null || !faults.includes('jitter')) return finding
  const answer = { status, retryAfter: retryAfter ?? undefined }
  const timing = { nowMs: Date.now(), jitter: Math.random }
  return { ...finding, nextDelayMs: retryDelayMs(delivery.attempt, answer, timing) }
}

function unsent(error: unknown, delivery: ClaimedDelivery): Finding {
  const isRefused = error instanceof SenderError
  const message = error instanceof Error ? error.message.slice(0, 500) : null
  return {
    ...nothing,
    result: 'retry',
    cause: isRefused && error.code === 'blocked_address' ? error.code : 'unsendable',
    errorCode: isRefused ? error.code : 'failed',
    errorMessage: isRefused ? error.problem : message,
    nextDelayMs: backoffAfter(delivery),
  }
}

function backoffAfter(delivery: ClaimedDelivery): number | null {
  if (isLast(delivery)) return null
  return retryDelayMs(delivery.attempt, { status: null }, { nowMs: Date.now() })
}

function isLast({ kind, attempt }: ClaimedDelivery): boolean {
  return kind === 'test' || attempt >= maxAttempts
}
