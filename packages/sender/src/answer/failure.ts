import { isError } from '@feed-receiver/core/internal'
import { SenderError } from '../errors.ts'

/** Why there was no answer. */
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
  /** The code of the system or the HTTP client, such as `ECONNREFUSED`, or the error's name. */
  code: string
  message: string
}

/** Describes a failure before the answer; every such failure is retried. */
export function describeFailure(error: unknown): Failure {
  const code = codeOf(error)
  return { cause: causeOf(code), code, message: messageOf(error) }
}

/** The error of an attempt that reaches its deadline. */
export function deadlineError(awaited: string, deadlineMs: number): Error {
  return withCode('deadline', `No ${awaited} within ${deadlineMs} ms.`)
}

/** The error of an attempt that is aborted before the head of the answer has arrived. */
export function abortedError(): Error {
  return withCode('aborted', 'The attempt was aborted; the receiver may have stored the event.')
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
  if (!isError(error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

/** If every address of a host failed, only the errors of the single addresses have a message. */
function messageOf(error: unknown): string {
  if (isError(error) && error.message === '' && 'errors' in error && Array.isArray(error.errors)) {
    return error.errors.map(messageOf).join('; ')
  }
  // Without the fix, because it names options that the readers of a record may not have.
  if (error instanceof SenderError) return error.problem
  return isError(error) ? error.message : String(error)
}
