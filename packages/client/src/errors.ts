export type ClientErrorCode =
  /** An option, a filter or a key that cannot be meant. Nothing was sent. */
  | 'bad_option'
  /** 400: the service does not take the cursor or a filter. Never sent again unchanged. */
  | 'invalid_request'
  /** 401: the key is missing, malformed, revoked or unknown. */
  | 'unauthorized'
  /** 403: the key's account has no Pro access any more. */
  | 'forbidden'
  /** 404: account events are not enabled, or there is no such event. */
  | 'not_found'
  /** 429, and the wait is longer than the caller wants to wait; `retryAt` says when it ends. */
  | 'rate_limited'
  /** No usable answer after several tries: network, time out, 5xx. */
  | 'unavailable'
  /** An answer that the interface does not know. */
  | 'unexpected_answer'
  /** A page that does not say how to go on, or leads back to itself. */
  | 'bad_page'
  /** Account events under a contract that this version does not know. */
  | 'unknown_contract'

export interface ClientErrorDetails extends ErrorOptions {
  status?: number | undefined
  serviceCode?: string | undefined
  retryAt?: Date | undefined
  answer?: unknown
}

/** What a request came to, in a message that says what to do next and never holds the key. */
export class ClientError extends Error {
  override name = 'ClientError'
  readonly code: ClientErrorCode
  /** The status of the answer, where there was one. */
  readonly status: number | undefined
  /** The `code` in the service's error; its set is open. */
  readonly serviceCode: string | undefined
  /** For `rate_limited`: when the next request may be made. */
  readonly retryAt: Date | undefined
  /** For `bad_page` and `unknown_contract`: the body as it came. Not shown when the error is. */
  declare readonly answer: unknown

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details)
    this.code = code
    this.status = details.status
    this.serviceCode = details.serviceCode
    this.retryAt = details.retryAt
    // What it holds is third-party text, and an account's private data: not for a log.
    Object.defineProperty(this, 'answer', { value: details.answer, enumerable: false })
  }
}

/** Throws `bad_option` where what somebody gave cannot be meant. */
export function checkOption(canBeMeant: boolean, message: string): asserts canBeMeant {
  if (!canBeMeant) throw new ClientError('bad_option', message)
}

/** What a refusal means, by the status of the API or the code of an MCP tool, and what to do next. */
export const refusals = new Map<number | string, [code: ClientErrorCode, advice: string]>([
  [400, ['invalid_request', 'Correct the filter, or begin again without the cursor.']],
  [401, ['unauthorized', 'Replace the key: it is missing, malformed, revoked or unknown.']],
  [403, ['forbidden', 'Restore Pro access of the account, or stop asking.']],
  [404, ['not_found', 'There is no such event, or account events are not enabled.']],
  ['invalid_request', ['invalid_request', 'Correct the arguments.']],
  ['not_found', ['not_found', 'There is no such event.']],
  ['unavailable', ['unavailable', 'Try again later.']],
  ['internal_error', ['unavailable', 'Try again later.']],
])
