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
  const isSigned = delivery.destinationKind === 'signed'
  const given = isSigned || context.sendChat ? answerOfFault(faults) : rendered
  const answer =
    given ??
    (await send(context, sender, delivery, isSigned ? faults : []).catch((error: unknown) => {
      if (!(error instanceof SenderError)) context.onError(error)
      return unsent(error)
    }))
  return {
    deliveryId: delivery.id,
    attempt: delivery.attempt,
    status: answer.status,
    signedAt: isSigned ? (answer.signedAt ?? null) : null,
    errorCode: answer.error?.code ?? null,
    errorMessage: answer.error?.message ?? null,
    durationMs: answer.durationMs ?? 0,
    retryAfter: answer.retryAfter ?? null,
    responseBody: answer.responseBody ?? null,
    fault: faults.join(', ') || null,
    ...evaluate(answer, delivery, faults),
  }
}

interface Answer extends Partial<Omit<AttemptRecord, 'cause'>> {
  result: AttemptRecord['result']
  cause: string
  status: number | null
}

/** Of a chat whose messages only appear in the journal. */
const rendered: Answer = { result: 'accepted', cause: 'rendered', status: null }

/** The answer of something in front of the app; undefined if no fault gives one. */
function answerOfFault(faults: readonly DeliveryFault[]): Answer | undefined {
  const status = proxyStatus(faults)
  if (status !== undefined) return { ...classify(status), status }
  if (!faults.includes('no_answer')) return undefined
  const error = { code: 'deadline', message: 'No answer arrived within 10 seconds.' }
  return { result: 'retry', cause: 'timeout', status: null, error }
}

function unsent(error: unknown): Answer {
  const retried = { result: 'retry', cause: 'unsendable', status: null } as const
  if (error instanceof SenderError) {
    const { code, problem: message } = error
    const cause = code === 'blocked_address' ? code : 'unsendable'
    return { ...retried, cause, error: { code, message } }
  }
  const message = (isError(error) ? error.message : String(error)).slice(0, 500)
  return { ...retried, error: { code: 'failed', message } }
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
    // The first one counts, whatever becomes of this one, which must end before the lease. The first
    // may have taken half of it.
    const signal = AbortSignal.timeout((leaseSeconds * 1_000) / 4)
    await sender.attempt(body, { ...options, signal }).catch(() => undefined)
  }
  return record
}

const chatHeaders = {
  'Feed-Signature': undefined,
  'Feed-Event-Id': undefined,
  'Idempotency-Key': undefined,
}

/** Evaluates the answer, with faults in the service's own evaluation. */
function evaluate(
  answer: Answer,
  { kind, attempt }: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Pick<AttemptOutcome, 'result' | 'cause' | 'nextDelayMs'> {
  const { result, cause } = answer
  const isLast = kind === 'test' || attempt >= maxAttempts
  // As after a crash: it may have arrived, and the next attempt is due now.
  if (result === 'aborted') return { result: 'interrupted', cause, nextDelayMs: isLast ? null : 0 }
  const isUnlisted = cause === 'unlisted_status' || cause === 'redirect'
  if (isUnlisted && faults.includes('end_unlisted')) {
    return { result, cause: 'ended_by_fault', nextDelayMs: null }
  }
  const isLost = result === 'accepted' && faults.includes('lose_answer')
  if (result !== 'retry' && !isLost) return { result, cause, nextDelayMs: null }
  const jitter = faults.includes('jitter') ? Math.random : undefined
  const delayMs = retryDelayMs(attempt, answer, { nowMs: Date.now(), jitter })
  const retried = isLost ? 'lost_by_fault' : cause
  return { result: 'retry', cause: retried, nextDelayMs: isLast ? null : delayMs }
}
