import { SenderError } from '../errors.ts'

/** Why no answer came. */
export type FailureCause =
  | 'timeout'
  | 'dns'
  | 'blocked_address'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'invalid_answer'
  | 'network'

export interface Failure {
  cause: FailureCause
  /** The code of the system or the HTTP client, such as `ECONNREFUSED`, or else the error's name. */
  code: string
  message: string
}

/** Names what went wrong on the way to an answer; every such failure is retried. */
export function describeFailure(error: unknown): Failure {
  const code = codeOf(error)
  return { cause: causeOf(code), code, message: messageOf(error) }
}

/** What an attempt ends with at its deadline. */
export function deadlineError(awaited: string, deadlineMs: number): Error {
  return withCode('deadline', `No ${awaited} came within ${deadlineMs} ms.`)
}

/** What an attempt ends with that is broken off before the head of the answer is there. */
export function abortedError(): Error {
  return withCode(
    'aborted',
    'The attempt was broken off; whether the receiver has the event is unknown.',
  )
}

export function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

const causes: readonly (readonly [RegExp, FailureCause])[] = [
  [/^(deadline|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'timeout'],
  [/^(ENOTFOUND|ENODATA|EAI_\w+)$/, 'dns'],
  [/^blocked_address$/, 'blocked_address'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/, 'connect'],
  [/^(EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|CRL_\w+|UNABLE_TO_\w+|\w*SELF_SIGNED_\w+)$/, 'tls'],
  [/^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/, 'tls'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^(HTTPParserError|HPE_\w+|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_\w+)$/, 'invalid_answer'],
]

function causeOf(code: string): FailureCause {
  return causes.find(([codes]) => codes.test(code))?.[1] ?? 'network'
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** Where every address of a host failed, the error itself has no message but one for each address. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ')
  }
  // A record says what happened; who reads it may have no option of ours.
  if (error instanceof SenderError) return error.problem
  return error instanceof Error ? error.message : String(error)
}
