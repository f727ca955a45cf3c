import { maxAttempts, retryDelayMs, SenderError, type AttemptRecord } from '@feed-receiver/sender'
import { applyFaults } from '../../faults/apply-fault.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { DeliveryFault } from '../../faults/delivery-faults.ts'
import type { AttemptOutcome } from './finish-attempts.ts'
import type { SenderPool } from './sender-pool.ts'
import type { WebhookContext } from '../webhook-context.ts'

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
  const { eventId, kind, attempt, secretSealed } = delivery
  return await pool.lend(delivery, async ({ sender, to, secret }) => {
    const draft = {
      eventId,
      secret,
      body: Buffer.from(delivery.body),
      offsetSeconds: 0,
      headers: {},
    }
    const { body, headers } = applyFaults(faults, draft)
    const options = {
      to,
      id: eventId,
      attempt,
      once: kind === 'test',
      headers: secretSealed ? headers : chatHeaders,
    }
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
  const { result } = record
  const finding: Finding = {
    result: result === 'aborted' ? 'interrupted' : result,
    cause: record.cause,
    status: record.status,
    signedAt: delivery.destinationKind === 'signed' ? record.signedAt : null,
    errorCode: record.error?.code ?? null,
    errorMessage: record.error?.message ?? null,
    durationMs: record.durationMs,
    retryAfter: record.retryAfter ?? null,
    nextDelayMs: record.nextDelayMs ?? null,
    responseBody: record.responseBody ?? null,
  }
  // As after a crash: it may have arrived, and the next attempt is due at once.
  if (result === 'aborted') return { ...finding, nextDelayMs: delayAfter(delivery, () => 0) }
  return bend(finding, delivery, faults)
}

/** Faults of the service's own judgement. */
function bend(
  finding: Finding,
  delivery: ClaimedDelivery,
  faults: readonly DeliveryFault[],
): Finding {
  const { result, cause, status, retryAfter, nextDelayMs } = finding
  if (result === 'accepted' && faults.includes('lose_answer')) {
    const delayMs = delayAfter(delivery, () =>
      retryDelayMs(delivery.attempt, { status: null }, now()),
    )
    return { ...finding, result: 'retry', cause: 'lost_by_fault', nextDelayMs: delayMs }
  }
  const isUnlisted = cause === 'unlisted_status' || cause === 'redirect'
  if (isUnlisted && faults.includes('end_unlisted')) {
    return { ...finding, result: 'pause', cause: 'ended_by_fault', nextDelayMs: null }
  }
  if (nextDelayMs === null || !faults.includes('jitter')) return finding
  const answer = { status, retryAfter: retryAfter ?? undefined }
  const stretched = retryDelayMs(delivery.attempt, answer, { ...now(), jitter: Math.random })
  return { ...finding, nextDelayMs: stretched }
}

function unsent(error: unknown, delivery: ClaimedDelivery): Finding {
  const code = error instanceof SenderError ? error.code : 'failed'
  return {
    ...nothing,
    result: 'retry',
    cause: code === 'blocked_address' ? code : 'unsendable',
    errorCode: code,
    errorMessage: describe(error),
    nextDelayMs: delayAfter(delivery, () =>
      retryDelayMs(delivery.attempt, { status: null }, now()),
    ),
  }
}

function describe(error: unknown): string | null {
  if (error instanceof SenderError) return error.problem
  return error instanceof Error ? error.message.slice(0, 500) : null
}

function delayAfter({ kind, attempt }: ClaimedDelivery, delayMs: () => number): number | null {
  return kind === 'test' || attempt >= maxAttempts ? null : delayMs()
}

/** Real time, as receivers have it: a Retry-After may be a date. */
function now(): { nowMs: number } {
  return { nowMs: Date.now() }
}
