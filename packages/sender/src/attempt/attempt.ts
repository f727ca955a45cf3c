import { signatureHeader } from '@feed-receiver/core'
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
  /**
   * The headers that show who rejected the delivery, by their names in lower case, `location` without
   * its query; missing where it was accepted or there are none.
   */
  headers?: Partial<Record<TellingHeader, string>>
  /** The beginning of the answer's body, at most 2,048 characters; missing where it was empty. */
  responseBody?: string
}

/** What stays the same in every attempt of one sender. */
export interface AttemptSettings {
  clock: Clock
  signingClock: () => number
  userAgent: string
  deadlineMs: number
  jitter: () => number
  dispatcher: Dispatcher
}

/** What stays the same in every attempt of one delivery. */
export interface Delivery extends ReadEvent {
  target: URL
  /** The secret that signs at a moment of `clock`. */
  secretAt: (nowMs: number) => string
  /** The number of the attempt after which none follows. */
  lastAttempt: number
  headers: DeliveryHeaders | undefined
  signal: AbortSignal | undefined
}

/**
 * Posts once, freshly signed (R163), and records what came of it.
 *
 * @throws SenderError `invalid_header` where the request cannot be written as HTTP.
 */
export async function makeAttempt(
  { eventId, body, target, secretAt, lastAttempt, headers, signal }: Delivery,
  attempt: number,
  { clock, signingClock, userAgent, deadlineMs, jitter, dispatcher }: AttemptSettings,
): Promise<AttemptRecord> {
  const at = clock.now()
  const secret = secretAt(at)
  const signedAt = Math.floor(signingClock() / 1000)
  const signature = signatureHeader({ secret, timestampSeconds: signedAt, body })
  const lines = deliveryHeaders({ eventId, signature, userAgent }, headers)
  // The signature with its `v1=`, and alone.
  const hidden = [secret, signature.slice(-67), signature.slice(-64)]
  const startedAt = performance.now()
  const found = await post({ dispatcher, target, headers: lines, body, deadlineMs, signal }).then(
    (answer) => readAnswer(answer, hidden),
    (error: unknown) => readFailure(error, performance.now() - startedAt, hidden),
  )
  const record: AttemptRecord = { attempt, at, signedAt, ...found }
  if (record.result === 'retry' && attempt < lastAttempt) {
    record.nextDelayMs = retryDelayMs(attempt, record, { nowMs: clock.now(), jitter })
  }
  return record
}

type Found = Omit<AttemptRecord, 'attempt' | 'at' | 'signedAt'>

function readAnswer(answer: Answer, hidden: string[]): Found {
  const { status, durationMs, retryAfter, headers, body, isWhole } = answer
  const judged = classify(status)
  const telling = judged.result === 'accepted' ? {} : readTelling(headers, hidden)
  const text = utf8.decode(body)
  const responseBody = excerpt(text, { maxCharacters: 2048, hidden, isCut: !isWhole })
  return {
    status,
    ...judged,
    durationMs: Math.round(durationMs),
    ...(retryAfter !== undefined && {
      retryAfter: excerpt(retryAfter, { maxCharacters: 100, hidden }),
    }),
    ...(Object.keys(telling).length > 0 && { headers: telling }),
    ...(responseBody !== '' && { responseBody }),
  }
}

const utf8 = new TextDecoder()

const tellingHeaders = [
  'content-type',
  'location',
  'vary',
  'www-authenticate',
  'x-powered-by',
] as const

type TellingHeader = (typeof tellingHeaders)[number]

function readTelling(headers: Answer['headers'], hidden: string[]): AttemptRecord['headers'] & {} {
  const telling: AttemptRecord['headers'] = {}
  for (const name of tellingHeaders) {
    const value = [headers[name] ?? ''].flat().join(', ')
    // Before the host and behind the path there may be a token.
    const shown =
      name === 'location' ? value.replace(/[?#].*/s, '').replace(/\/\/[^/]*@/, '//') : value
    if (shown !== '') telling[name] = excerpt(shown, { maxCharacters: 200, hidden })
  }
  return telling
}

function readFailure(failure: unknown, durationMs: number, hidden: string[]): Found {
  const { cause, code, message } = describeFailure(failure)
  if (unsendable.test(code)) {
    throw new SenderError('invalid_header', `The request cannot be sent: ${message}. Change it.`, {
      cause: failure,
    })
  }
  const error = { code, message: excerpt(message, { maxCharacters: 500, hidden }) }
  const judged = code === 'aborted' ? aborted : ({ result: 'retry', cause } as const)
  return { status: null, ...judged, error, durationMs: Math.round(durationMs) }
}

const aborted = { result: 'aborted', cause: 'aborted' } as const

// What undici refuses before it sends anything, such as a Content-Length that is not the body's.
const unsendable = /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/

export interface ExcerptOptions {
  maxCharacters: number
  /** Strings that must not show, such as the secret; a receiver may echo what it was sent. */
  hidden: readonly string[]
  /** Whether `text` was cut off already, so that a hidden string may have lost its end. */
  isCut?: boolean
}

/**
 * The beginning of a text that came from outside, fit for a record: without secrets and signatures,
 * and without NUL and half characters, which PostgreSQL refuses.
 */
export function excerpt(
  text: string,
  { maxCharacters, hidden, isCut = false }: ExcerptOptions,
): string {
  // Most receivers say nothing more.
  if (text === '') return ''
  const clean = hidden
    .reduce((rest, each) => rest.replaceAll(each, '[hidden]'), text)
    .replaceAll(secretForm, '[hidden]')
    .replaceAll('\0', '\uFFFD')
  const whole = isCut ? withoutBeginning(clean, hidden) : clean
  return whole.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')
}

/** A secret, an API key or a signature; a prefix alone tells nothing, and may explain a refusal. */
const secretForm = /feed_(?:whsec|live)_(?=[^\s"'<>\\]*[0-9a-z])[^\s"'<>\\]*|v1=[0-9a-f]+/gi

// A shorter piece gives nothing away, and may well be something else.
const telling = 8

/** Drops the end of the text where a hidden string begins there. */
function withoutBeginning(text: string, hidden: readonly string[]): string {
  const longest = Math.max(0, ...hidden.map(({ length }) => length))
  for (let length = longest; length >= telling; length--) {
    const end = text.slice(-length)
    if (hidden.some((each) => each.startsWith(end))) return text.slice(0, -length)
  }
  return text
}
