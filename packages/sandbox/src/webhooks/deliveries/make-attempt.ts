import { isError } from '@feed-receiver/core'
import {
  classify,
  maxAttempts,
  retryDelayMs,
  SenderError,
  type AttemptRecord,
  type Sender,
} from '@feed-receiver/sender'
import { isDamage, signDamaged } from '@feed-receiver/sender/testing'
import { answeredInFront, type DeliveryFault } from '../../faults/delivery-faults.ts'
import { secretPlace, urlPlace } from '../../state/vault.ts'
import type { Context } from '../../server/context.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { AttemptOutcome } from './finish-attempts.ts'

/** Makes one attempt and returns its outcome. Never rejects. */
export async function makeAttempt(
  context: Context,
  sender: Sender,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Promise<AttemptOutcome> {
  const { id: deliveryId, attempt, destinationKind } = delivery
  const isSigned = destinationKind === 'signed'
  const base = { deliveryId, attempt, fault: faults.join(', ') || null, durationMs: 0 }
  // A chat whose messages only appear in the journal.
  if (!isSigned && !context.sendChat) return { ...base, result: 'accepted', cause: 'rendered' }
  const inFront = answerInFront(delivery, faults)
  if (inFront) return { ...base, ...inFront, ...judge(inFront, delivery, faults) }
  try {
    const record = await send(context, sender, delivery, isSigned ? faults : [])
    const signedAt = isSigned ? record.signedAt : null
    return { ...base, ...record, signedAt, ...judge(record, delivery, faults) }
  } catch (error) {
    if (!(error instanceof SenderError)) context.onError(error)
    return { ...base, ...unsent(error), nextDelayMs: backoffAfter(delivery) }
  }
}

async function send(
  { vault }: Context,
  sender: Sender,
  { destinationId, urlSealed, secretSealed, eventId: id, kind, attempt, ...given }: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Promise<AttemptRecord> {
  const to = vault.open(urlSealed, urlPlace(destinationId))
  const secret = secretSealed ? vault.open(secretSealed, secretPlace(destinationId)) : undefined
  const whole = Buffer.from(given.body)
  const damages = faults.filter(isDamage)
  const damaged =
    secret && damages.length > 0 ? signDamaged(damages, { id, body: whole, secret }) : null
  const headers = secret ? damaged?.headers : chatHeaders
  const options = { to, id, attempt, once: kind === 'test', headers, secret }
  const body = damaged?.body ?? whole
  const record = await sender.attempt(body, options)
  if (faults.includes('duplicate') && record.result === 'accepted') {
    await sender.attempt(body, options)
  }
  return record
}

/** Chat messages are not signed (R182). */
const chatHeaders = {
  'Feed-Signature': undefined,
  'Feed-Event-Id': undefined,
  'Idempotency-Key': undefined,
}

type Judgement = Pick<AttemptOutcome, 'result' | 'cause' | 'nextDelayMs'>

/** The response of a fault instead of the app; undefined if the app is to be called. */
function answerInFront(
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Answered | undefined {
  const status = answeredInFront(faults)
  const error = { code: 'deadline', message: 'No answer arrived within 10 seconds.' }
  if (status === undefined) {
    if (!faults.includes('no_answer')) return undefined
    const nextDelayMs = backoffAfter(delivery)
    return { result: 'retry', cause: 'timeout', status: null, error, nextDelayMs }
  }
  const judged = classify(status)
  const nextDelayMs = judged.result === 'retry' ? backoffAfter(delivery) : null
  return { ...judged, status, nextDelayMs }
}

interface Answered
  extends Pick<AttemptRecord, 'result' | 'cause' | 'status'>, Pick<AttemptOutcome, 'error'> {
  retryAfter?: string
  nextDelayMs?: number | null
}

/** Judges the response, with faults in the service's own judgement. */
function judge(
  record: Answered,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Judgement {
  const { result, cause, nextDelayMs } = record
  // As after a crash: it may have arrived, and the next attempt is due now.
  if (result === 'aborted') {
    return { result: 'interrupted', cause, nextDelayMs: isLast(delivery) ? null : 0 }
  }
  if (result === 'accepted' && faults.includes('lose_answer')) {
    return { result: 'retry', cause: 'lost_by_fault', nextDelayMs: backoffAfter(delivery) }
  }
  const isUnlisted = cause === 'unlisted_status' || cause === 'redirect'
  if (isUnlisted && faults.includes('end_unlisted')) {
    return { result: 'pause', cause: 'ended_by_fault', nextDelayMs: null }
  }
  if (typeof nextDelayMs !== 'number' || !faults.includes('jitter'))
    return { result, cause, nextDelayMs }
  const timing = { nowMs: Date.now(), jitter: Math.random }
  return { result, cause, nextDelayMs: retryDelayMs(delivery.attempt, record, timing) }
}

function unsent(error: unknown): Pick<AttemptOutcome, 'result' | 'cause' | 'error'> {
  const { code, message } =
    error instanceof SenderError
      ? { code: error.code, message: error.problem }
      : { code: 'failed', message: isError(error) ? error.message.slice(0, 500) : null }
  const cause = code === 'blocked_address' ? code : 'unsendable'
  return { result: 'retry', cause, error: { code, message } }
}

function backoffAfter(delivery: ClaimedDelivery): number | null {
  if (isLast(delivery)) return null
  return retryDelayMs(delivery.attempt, { status: null }, { nowMs: Date.now() })
}

function isLast({ kind, attempt }: ClaimedDelivery): boolean {
  return kind === 'test' || attempt >= maxAttempts
}
