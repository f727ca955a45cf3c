import { errorWithCode, recognizeCopies } from '@feed-receiver/core/internal'

export type ClientErrorCode =
  /** An invalid option, filter or key. Nothing was sent. */
  | 'bad_option'
  /** 400: the service rejects the cursor or a filter. The client never retries it unchanged. */
  | 'invalid_request'
  /** 401: the key is missing, malformed, revoked or unknown. */
  | 'unauthorized'
  /** 403: the key's account no longer has Pro access. */
  | 'forbidden'
  /** 404: a wrong `baseUrl`, account events that are not enabled, or an event that does not exist. */
  | 'not_found'
  /** 429, and the waits are longer than `maxWaitMs` in all; `retryAt` is when the last one ends. */
  | 'rate_limited'
  /** No usable answer after all attempts: network error, time-out or 5xx. */
  | 'unavailable'
  /** An answer that the service does not document, or one larger than `maxAnswerBytes`. */
  | 'unexpected_answer'
  /** A page without a usable cursor, or pages that promise more and lead nowhere. */
  | 'bad_page'
  /** Account events with a contract version that this version does not support. */
  | 'unknown_contract'

export interface ClientErrorDetails extends ErrorOptions {
  status?: number | undefined
  serviceCode?: string | undefined
  retryAt?: Date | undefined
  answer?: unknown
}

/** A failed request. The message says what to do next and never contains the key. */
export class ClientError extends errorWithCode<ClientErrorCode>('client') {
  static {
    recognizeCopies(this, 'ClientError')
  }

  override name = 'ClientError'
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined
  /** The `code` of the service's error body; its set is open. */
  readonly serviceCode: string | undefined
  /** For `rate_limited`: when you may send the next request. */
  readonly retryAt: Date | undefined
  /** For `bad_page` and `unknown_contract`: the body as received. Printing the error hides it. */
  declare readonly answer: unknown

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(code, message, details)
    this.status = details.status
    this.serviceCode = details.serviceCode
    this.retryAt = details.retryAt
    // It holds third-party text and an account's private data, which must not reach a log.
    Object.defineProperty(this, 'answer', { value: details.answer, enumerable: false })
  }
}

/** Throws `bad_option` for an invalid input. */
export function checkOption(isValid: boolean, message: string): asserts isValid {
  if (!isValid) throw new ClientError('bad_option', message)
}

/** The meaning of each error, by HTTP status or MCP error code, and what to do next. */
export const knownErrors = new Map<number | string, [code: ClientErrorCode, fix: string]>([
  [400, ['invalid_request', 'Correct the filter, or start again without the cursor.']],
  [401, ['unauthorized', 'Replace the API key: it is missing, malformed, revoked or unknown.']],
  [403, ['forbidden', 'Renew Pro access for the account.']],
  [
    404,
    [
      'not_found',
      'Check baseUrl. If it is right, account events are not enabled, or the event does not exist.',
    ],
  ],
  ['invalid_request', ['invalid_request', 'Correct the arguments.']],
  ['not_found', ['not_found', 'The event does not exist.']],
  ['unavailable', ['unavailable', 'Try again later.']],
  ['internal_error', ['unavailable', 'Try again later.']],
])
