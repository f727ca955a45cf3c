import { signatureHeader } from '@feed-receiver/core'
import type { Dispatcher } from 'undici'
import { classify, type AnswerCause, type AnswerResult } from './classify.ts'
import type { Breaker } from './breaker.ts'
import type { Clock } from './clock.ts'
import { deliveryHeaders, type DeliveryHeaders } from './delivery-headers.ts'
import { SenderError } from './errors.ts'
import { excerpt } from './excerpt.ts'
import { describeFailure, type FailureCause } from './failure.ts'
import { BrokenOffError, post, type Answer, type AnswerBody } from './post.ts'
import type { PreparedDelivery } from './prepare-delivery.ts'
import { retryDelayMs } from './retry-delay.ts'

export type AttemptResult = AnswerResult | 'aborted'
export type AttemptCause = AnswerCause | FailureCause | 'aborted'

/** What happened in one attempt. Holds no secret and no signature, even where a receiver echoes one. */
export interface AttemptRecord {
  /** The first is 1. */
  attempt: number
  /** When it began: epoch milliseconds on `clock`. */
  at: number
  /** The `t` of its signature: unix seconds from `signingClock` (R163). */
  signedAt: number
  /** Null where no answer came. */
  status: number | null
  result: AttemptResult
  cause: AttemptCause
  /** Why no answer came. */
  error?: { code: string; message: string }
  /** Real milliseconds until the head of the answer was there, or the attempt had failed. */
  durationMs: number
  /** The `Retry-After` of the answer as it came, whether it counts or not. */
  retryAfter?: string
  /** Milliseconds until the next attempt; missing where none follows. */
  nextDelayMs?: number
  /** The beginning of the answer's body, at most 2,048 characters; missing where it was empty. */
  responseBody?: string
}

/** What stays the same in every attempt of one sender. */
export interface AttemptSettings {
  /** The secret that signs at a moment of `clock`. */
  secretAt: (nowMs: number) => string
  clock: Clock
  signingClock: () => number
  userAgent: string
  deadlineMs: number
  jitter: () => number
  dispatcher: Dispatcher
}

export interface AttemptPlan {
  attempt: number
  /** The number of the attempt after which none follows. */
  lastAttempt: number
  headers?: DeliveryHeaders | undefined
  breaker: Breaker
}

/**
 * Posts once, freshly signed (R163), and records what came of it.
 *
 * @throws SenderError `invalid_header` where the request cannot be written as HTTP.
 */
export async function makeAttempt(
  delivery: PreparedDelivery,
  { attempt, lastAttempt, headers, breaker }: AttemptPlan,
  settings: AttemptSettings,
): Promise<AttemptRecord> {
  const { clock, dispatcher, deadlineMs, userAgent } = settings
  const { body, eventId, target } = delivery
  const at = clock.now()
  const secret = settings.secretAt(at)
  const signedAt = Math.floor(settings.signingClock() / 1000)
  const signature = signatureHeader({ secret, timestampSeconds: signedAt, body })
  const lines = deliveryHeaders({ eventId, signature, userAgent, headers })
  // The signature with its `v1=`, and alone.
  const hidden = [secret, signature.slice(-67), signature.slice(-64)]
  const startedAt = performance.now()
  const record: AttemptRecord = { attempt, at, signedAt, ...unanswered }

  try {
    const answer = await post({ dispatcher, target, headers: lines, body, deadlineMs, breaker })
    noteAnswer(record, answer, hidden)
  } catch (error) {
    record.durationMs = Math.round(performance.now() - startedAt)
    noteFailure(record, error, hidden)
  }
  if (record.result === 'retry' && attempt < lastAttempt) {
    const timing = { nowMs: clock.now(), jitter: settings.jitter }
    record.nextDelayMs = retryDelayMs(attempt, record, timing)
  }
  return record
}

const unanswered = { status: null, result: 'retry', cause: 'network', durationMs: 0 } as const

function noteAnswer(record: AttemptRecord, answer: Answer, hidden: string[]): void {
  const { status, durationMs, retryAfter, body } = answer
  const { result, cause } = classify(status)
  record.status = status
  record.result = result
  record.cause = cause
  record.durationMs = Math.round(durationMs)
  if (retryAfter !== undefined) {
    record.retryAfter = excerpt(retryAfter, { maxCharacters: 100, hidden })
  }
  const text = readText(body, hidden)
  if (text !== '') record.responseBody = text
}

function readText({ bytes, isWhole }: AnswerBody, hidden: string[]): string {
  if (bytes.length === 0) return ''
  const text = new TextDecoder().decode(bytes)
  return excerpt(text, { maxCharacters: 2048, hidden, isCut: !isWhole })
}

function noteFailure(record: AttemptRecord, error: unknown, hidden: string[]): void {
  if (error instanceof BrokenOffError) {
    record.result = 'aborted'
    record.cause = 'aborted'
    record.error = { code: error.code, message: error.message }
    return
  }
  const { cause, code, message } = describeFailure(error)
  if (unsendable.test(code)) {
    throw new SenderError('invalid_header', `The request cannot be sent: ${message}. Change it.`, {
      cause: error,
    })
  }
  record.cause = cause
  record.error = { code, message: excerpt(message, { maxCharacters: 500, hidden }) }
}

// What undici refuses before it sends anything, such as a Content-Length that is not the body's.
const unsendable = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/
