import { signatureHeader } from '@feed-receiver/core/internal'
import type { Clock } from '@feed-receiver/core/node'
import type { Dispatcher } from 'undici'
import { classify, type AnswerCause, type AnswerResult } from '../answer/classify.ts'
import { describeFailure, type FailureCause } from '../answer/failure.ts'
import { retryDelayMs } from '../answer/retry-delay.ts'
import { deliveryHeaders, type DeliveryHeaders, type ReadEvent } from './delivery-request.ts'
import { post, type Answer } from './post.ts'
import { SenderError } from '../errors.ts'

export type AttemptResult = AnswerResult | 'aborted'
export type AttemptCause = AnswerCause | FailureCause | 'aborted'

/** One attempt. Holds no secret and no signature, even if the receiver echoes one. */
export interface AttemptRecord {
  /** The first is 1. */
  attempt: number
  /** The start of the attempt: epoch milliseconds on `clock`. */
  at: number
  /** The `t` of its signature: unix seconds from `signingClock`. */
  signedAt: number
  /** Null if there was no answer. */
  status: number | null
  result: AttemptResult
  cause: AttemptCause
  /** Why there was no answer. */
  error?: { code: string; message: string }
  /** Real milliseconds until the head of the answer arrived or the attempt failed. */
  durationMs: number
  /** The `Retry-After` of the answer, unchanged, even if the sender ignores it. */
  retryAfter?: string
  /** Milliseconds until the next attempt; missing if there is none. */
  nextDelayMs?: number
  /**
   * The headers that show who rejected the delivery, by their lower-case names, `location` without
   * its query. Missing if the delivery was accepted or the answer has none of them.
   */
  headers?: Partial<Record<UsefulHeader, string>>
  /** The start of the answer's body, at most 2,048 characters; missing if the body was empty. */
  responseBody?: string
}

/** The settings that all attempts of one sender share. */
export interface AttemptSettings {
  clock: Clock
  signingClock: () => number
  userAgent: string
  deadlineMs: number
  jitter: () => number
  dispatcher: Dispatcher
  /** Aborts when the sender is closed. */
  closing: AbortSignal
}

/** The data that all attempts of one delivery share. */
export interface Delivery extends ReadEvent {
  target: URL
  /** Returns the secret that signs at a time of `clock`. */
  secretAt: (nowMs: number) => string
  lastAttempt: number
  headers: DeliveryHeaders | undefined
  signal: AbortSignal | undefined
}

/**
 * Sends one freshly signed request, and records the result.
 *
 * @throws SenderError `invalid_header` if the request cannot be written as HTTP.
 */
export async function makeAttempt(
  { eventId, body, target, secretAt, lastAttempt, headers, signal }: Delivery,
  attempt: number,
  { clock, signingClock, userAgent, deadlineMs, jitter, dispatcher, closing }: AttemptSettings,
): Promise<AttemptRecord> {
  const at = clock.now()
  const secret = secretAt(at)
  const signedAt = Math.floor(signingClock() / 1000)
  const signature = signatureHeader({ secret, timestampSeconds: signedAt, body })
  const lines = deliveryHeaders({ eventId, signature, userAgent }, headers)
  const hidden = [secret, ...signaturesIn(lines)]
  const startedAt = performance.now()
  const sent = { dispatcher, target, headers: lines, body, deadlineMs, signal, closing }
  const found = await post(sent).then(
    (answer) => readAnswer(answer, hidden),
    (error: unknown) => readFailure(error, performance.now() - startedAt, hidden),
  )
  const record: AttemptRecord = { attempt, at, signedAt, ...found }
  if (record.result === 'retry' && attempt < lastAttempt) {
    record.nextDelayMs = retryDelayMs(attempt, record, { nowMs: clock.now(), jitter })
  }
  return record
}

/** With their `v1=`, and without it. The option `headers` may replace the sender's own signature. */
function signaturesIn(lines: string[]): string[] {
  const found = lines.join(' ').match(/v1=[\da-f]{64}/g) ?? []
  return [...found, ...found.map((signature) => signature.slice(3))]
}

type Found = Omit<AttemptRecord, 'attempt' | 'at' | 'signedAt'>

function readAnswer(answer: Answer, hidden: string[]): Found {
  const { status, durationMs, retryAfter, headers, body, isWhole } = answer
  const classified = classify(status)
  const kept = classified.result === 'accepted' ? {} : readUsefulHeaders(headers, hidden)
  const text = utf8.decode(body)
  const responseBody = excerpt(text, { maxCharacters: 2048, hidden, isCut: !isWhole })
  return {
    status,
    ...classified,
    durationMs: Math.round(durationMs),
    ...(retryAfter !== undefined && {
      retryAfter: excerpt(retryAfter, { maxCharacters: 100, hidden }),
    }),
    ...(Object.keys(kept).length > 0 && { headers: kept }),
    ...(responseBody !== '' && { responseBody }),
  }
}

const utf8 = new TextDecoder()

const usefulHeaders = [
  'content-type',
  'location',
  'vary',
  'www-authenticate',
  'x-powered-by',
] as const

type UsefulHeader = (typeof usefulHeaders)[number]

function readUsefulHeaders(
  headers: Answer['headers'],
  hidden: string[],
): AttemptRecord['headers'] & {} {
  const found: AttemptRecord['headers'] = {}
  for (const name of usefulHeaders) {
    const value = [headers[name] ?? ''].flat().join(', ')
    // The user info and the query may hold a token.
    const shown =
      name === 'location' ? value.replace(/[?#].*/s, '').replace(/\/\/[^/]*@/, '//') : value
    if (shown !== '') found[name] = excerpt(shown, { maxCharacters: 200, hidden })
  }
  return found
}

function readFailure(failure: unknown, durationMs: number, hidden: string[]): Found {
  const { cause, code, message } = describeFailure(failure)
  if (unsendable.test(code)) {
    throw new SenderError(
      'invalid_header',
      `HTTP cannot carry this request: ${message}. Correct the option headers.`,
      {
        cause: failure,
      },
    )
  }
  const error = { code, message: excerpt(message, { maxCharacters: 500, hidden }) }
  const classified = code === 'aborted' ? aborted : ({ result: 'retry', cause } as const)
  return { status: null, ...classified, error, durationMs: Math.round(durationMs) }
}

const aborted = { result: 'aborted', cause: 'aborted' } as const

// Errors of undici before it sends anything, such as for a wrong Content-Length.
const unsendable = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/

export interface ExcerptOptions {
  maxCharacters: number
  /** Strings to remove, such as the secret, because a receiver may echo the request. */
  hidden: readonly string[]
  /** Whether `text` was truncated before, so that a hidden string may have lost its end. */
  isCut?: boolean
}

/**
 * The start of an external text, safe for a record: without secrets and signatures, and without NUL
 * and lone surrogates, which PostgreSQL rejects.
 */
export function excerpt(
  text: string,
  { maxCharacters, hidden, isCut = false }: ExcerptOptions,
): string {
  // Most receivers send no body.
  if (text === '') return ''
  const clean = hidden
    .reduce((rest, each) => rest.replaceAll(each, '[hidden]'), text)
    .replaceAll(secretForm, '[hidden]')
    .replaceAll('\0', '\uFFFD')
  const whole = isCut ? withoutBeginning(clean, hidden) : clean
  return whole.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
}

/** A secret, an API key or a signature. A prefix alone reveals nothing and may explain an error. */
const secretForm = /feed_(?:whsec|live)_(?=[^\s"'<>\\]*[0-9a-z])[^\s"'<>\\]*|v1=[0-9a-f]+/gi

// A shorter piece reveals nothing, and may well be something else.
const minHiddenLength = 8

/** Removes the end of the text if a hidden string begins there. */
function withoutBeginning(text: string, hidden: readonly string[]): string {
  const longest = Math.max(0, ...hidden.map(({ length }) => length))
  for (let length = longest; length >= minHiddenLength; length--) {
    const end = text.slice(-length)
    if (hidden.some((each) => each.startsWith(end))) return text.slice(0, -length)
  }
  return text
}
