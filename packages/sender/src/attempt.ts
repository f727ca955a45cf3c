import { signatureHeader } from '@feed-receiver/core'
import type { Dispatcher } from 'undici'
import { classify, type AnswerCause, type AnswerResult } from './classify.ts'
import type { Breaker } from './breaker.ts'
import type { Clock } from './clock.ts'
import { deliveryHeaders, type DeliveryHeaders } from './delivery-headers.ts'
import { SenderError } from './errors.ts'
import { excerpt } from './excerpt.ts'
import { describeFailure, type FailureCause } from './failure.ts'
import { BrokenOffError, post, type Answer } from './post.ts'
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
  const { body, eventId, to: url } = delivery
  const at = clock.now()
  const secret = settings.secretAt(at)
  const signedAt = Math.floor(settings.signingClock() / 1000)
  const signature = signatureHeader({ secret, timestampSeconds: signedAt, body })
  const lines = deliveryHeaders({ eventId, signature, userAgent, headers })
  // The signature with its `v1=`, and alone.
  const hidden = [secret, signature.slice(-67), signature.slice(-64)]
  const startedAt = performance.now()

  const seen = await post({ dispatcher, url, headers: lines, body, deadlineMs, breaker }).then(
    (answer) => readAnswer(answer, hidden),
    (error: unknown) => readFailure(error, { startedAt, hidden }),
  )
  const record: AttemptRecord = { attempt, at, signedAt, ...seen }
  if (record.result !== 'retry' || attempt >= lastAttempt) return record
  const timing = { nowMs: clock.now(), jitter: settings.jitter }
  return { ...record, nextDelayMs: retryDelayMs(attempt, record, timing) }
}

type Seen = Omit<AttemptRecord, 'attempt' | 'at' | 'signedAt' | 'nextDelayMs'>

function readAnswer({ status, durationMs, retryAfter, body }: Answer, hidden: string[]): Seen {
  const text = body.bytes.length > 0 ? new TextDecoder().decode(body.bytes) : ''
  const responseBody = excerpt(text, { maxCharacters: 2048, hidden, isCut: !body.isWhole })
  return {
    status,
    ...classify(status),
    durationMs: Math.round(durationMs),
    ...(retryAfter !== undefined && {
      retryAfter: excerpt(retryAfter, { maxCharacters: 100, hidden }),
    }),
    ...(responseBody !== '' && { responseBody }),
  }
}

interface FailureContext {
  startedAt: number
  hidden: string[]
}

function readFailure(error: unknown, { startedAt, hidden }: FailureContext): Seen {
  const durationMs = Math.round(performance.now() - startedAt)
  if (error instanceof BrokenOffError) {
    const { code, message } = error
    return {
      status: null,
      result: 'aborted',
      cause: 'aborted',
      error: { code, message },
      durationMs,
    }
  }
  const { cause, code, message } = describeFailure(error)
  if (unsendable.test(code)) {
    throw new SenderError('invalid_header', `The request cannot be sent: ${message}. Change it.`, {
      cause: error,
    })
  }
  const shown = { code, message: excerpt(message, { maxCharacters: 500, hidden }) }
  return { status: null, result: 'retry', cause, error: shown, durationMs }
}

// What undici refuses before it sends anything, such as a Content-Length that is not the body's.
const unsendable = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/
