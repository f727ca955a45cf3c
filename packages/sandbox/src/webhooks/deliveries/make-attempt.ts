import { isError } from '@feed-receiver/core/internal'
import { classify, maxAttempts, retryDelayMs, SenderError } from '@feed-receiver/sender/internal'
import { type AttemptRecord, type Sender } from '@feed-receiver/sender'
import { isDamage, signDamaged } from '@feed-receiver/sender/testing'
import { proxyStatus, type DeliveryFault } from '../../faults/delivery-faults.ts'
import { secretLabel, urlLabel } from '../../state/vault.ts'
import type { Context } from '../../server/context.ts'
import type { AttemptOutcome, ClaimedDelivery } from '../../state/delivery.ts'
import { leaseSeconds } from './claim-deliveries.ts'

/** Makes one attempt and returns its outcome. Never rejects. */
export async function makeAttempt(
  context: Pick<Context, 'vault' | 'sendChat' | 'onError'>,
  sender: Sender,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Promise<AttemptOutcome> {
  const { id: deliveryId, attempt, destinationKind } = delivery
  const isSigned = destinationKind === 'signed'
  const base = { ...noAnswer, deliveryId, attempt, fault: faults.join(', ') || null }
  // A chat whose messages only appear in the journal.
  if (!isSigned && !context.sendChat) return { ...base, result: 'accepted', cause: 'rendered' }
  const status = proxyStatus(faults)
  if (status !== undefined) {
    const answer = { ...classify(status), status }
    return { ...base, status, ...evaluate(answer, delivery, faults) }
  }
  if (faults.includes('no_answer')) {
    const evaluated = evaluate(
      { result: 'retry', cause: 'timeout', status: null },
      delivery,
      faults,
    )
    const errorMessage = 'No answer arrived within 10 seconds.'
    return { ...base, errorCode: 'deadline', errorMessage, ...evaluated }
  }
  try {
    const record = await send(context, sender, delivery, isSigned ? faults : [])
    return {
      ...base,
      status: record.status,
      signedAt: isSigned ? record.signedAt : null,
      errorCode: record.error?.code ?? null,
      errorMessage: record.error?.message ?? null,
      durationMs: record.durationMs,
      retryAfter: record.retryAfter ?? null,
      responseBody: record.responseBody ?? null,
      ...evaluate(record, delivery, faults),
    }
  } catch (error) {
    if (!(error instanceof SenderError)) context.onError(error)
    return { ...base, result: 'retry', ...unsent(error), nextDelayMs: backoffAfter(delivery) }
  }
}

const noAnswer = {
  status: null,
  signedAt: null,
  errorCode: null,
  errorMessage: null,
  durationMs: 0,
  retryAfter: null,
  nextDelayMs: null,
  responseBody: null,
}

async function send(
  { vault }: Pick<Context, 'vault'>,
  sender: Sender,
  { destinationId, urlSealed, secretSealed, eventId: id, kind, attempt, ...given }: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Promise<AttemptRecord> {
  const to = vault.open(urlSealed, urlLabel(destinationId))
  const secret = secretSealed ? vault.open(secretSealed, secretLabel(destinationId)) : undefined
  const whole = Buffer.from(given.body)
  const damages = faults.filter(isDamage)
  const damaged =
    secret && damages.length > 0 ? signDamaged(damages, { id, body: whole, secret }) : null
  const headers = secret ? damaged?.headers : chatHeaders
  const options = { to, id, attempt, once: kind === 'test', headers, secret }
  const body = damaged?.body ?? whole
  const record = await sender.attempt(body, options)
  if (faults.includes('duplicate') && record.result === 'accepted') {
    // The first one counts, whatever becomes of this one, which must end before the lease.
    const signal = AbortSignal.timeout(duplicateMs)
    await sender.attempt(body, { ...options, signal }).catch(() => undefined)
  }
  return record
}

/** The first attempt may have taken half of the lease. */
const duplicateMs = (leaseSeconds * 1_000) / 4

const chatHeaders = {
  'Feed-Signature': undefined,
  'Feed-Event-Id': undefined,
  'Idempotency-Key': undefined,
}

type Answer = Pick<AttemptRecord, 'result' | 'cause' | 'status' | 'retryAfter'>

/** Evaluates the answer, with faults in the service's own evaluation. */
function evaluate(
  answer: Answer,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Pick<AttemptOutcome, 'result' | 'cause' | 'nextDelayMs'> {
  const { result, cause } = answer
  // As after a crash: it may have arrived, and the next attempt is due now.
  if (result === 'aborted') {
    return { result: 'interrupted', cause, nextDelayMs: isLast(delivery) ? null : 0 }
  }
  if (result === 'accepted' && faults.includes('lose_answer')) {
    return { result: 'retry', cause: 'lost_by_fault', nextDelayMs: backoffAfter(delivery) }
  }
  const isUnlisted = cause === 'unlisted_status' || cause === 'redirect'
  if (isUnlisted && faults.includes('end_unlisted')) {
    return { result, cause: 'ended_by_fault', nextDelayMs: null }
  }
  if (result !== 'retry') return { result, cause, nextDelayMs: null }
  const jitter = faults.includes('jitter') ? Math.random : undefined
  return { result, cause, nextDelayMs: backoffAfter(delivery, answer, jitter) }
}

function unsent(error: unknown): Pick<AttemptOutcome, 'cause' | 'errorCode' | 'errorMessage'> {
  if (!(error instanceof SenderError)) {
    const errorMessage = isError(error) ? error.message.slice(0, 500) : null
    return { cause: 'unsendable', errorCode: 'failed', errorMessage }
  }
  const { code, problem } = error
  const cause = code === 'blocked_address' ? code : 'unsendable'
  return { cause, errorCode: code, errorMessage: problem }
}

/** The delay before the next attempt; null if this was the last. */
function backoffAfter(
  delivery: ClaimedDelivery,
  answer: Pick<Answer, 'status' | 'retryAfter'> = { status: null },
  jitter?: () => number,
): number | null {
  if (isLast(delivery)) return null
  return retryDelayMs(delivery.attempt, answer, { nowMs: Date.now(), jitter })
}

function isLast({ kind, attempt }: ClaimedDelivery): boolean {
  return kind === 'test' || attempt >= maxAttempts
}
