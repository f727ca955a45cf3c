import { isError } from '../recognize.ts'
import type { Observation } from '../delivery.ts'
import { redact } from './redact.ts'

/**
 * The local cause of a rejection: the clock skew, or the message of an error without its secrets.
 * It quotes nothing of the delivery. Null if the reason alone explains the rejection.
 */
export function causeOf({ reason, skewSeconds = 0, error }: Observation): string | null {
  if (reason === 'outside_window' && skewSeconds !== 0) {
    const way = skewSeconds > 0 ? 'ahead of' : 'behind'
    return `This clock is ${Math.abs(skewSeconds)} s ${way} the signature.`
  }
  if (error === undefined || !causedByErrors.has(reason)) return null
  return describeError(error)
}

// Other reasons may carry an error of the secret provider, but then the last secrets were used.
const causedByErrors = new Set([
  'body_already_read',
  'secrets_unavailable',
  'signature_mismatch',
  'store_failed',
])

/**
 * The message of an error without its secrets. Of an error that may quote its input, only its code
 * or name.
 */
export function describeError(error: unknown): string {
  if (!isError(error)) return redact(typeof error === 'string' ? error : typeof error)
  const code = 'code' in error ? String(error.code) : undefined
  const name = code ?? error.name
  // JSON.parse and the data errors of SQL quote their input, such as a secret or a body.
  if (isSyntaxError(error) || /^2[23]...$/.test(code ?? '')) return redact(name)
  // If a host has several addresses, the combined connection error has no message.
  return redact(error.message || name)
}

function isSyntaxError(error: Error): boolean {
  // oxlint-disable-next-line feed-receiver/realm -- the other half covers other realms
  return error instanceof SyntaxError || error.name === 'SyntaxError'
}
