import { isError } from '../recognize.ts'
import { DatabaseError, say } from '../errors.ts'

/** The error of a call that found no usable connection, or lost it. */
export function unavailable(what: string, cause: unknown): DatabaseError {
  const reason = reasonOf(cause).replaceAll(/\s+/g, ' ').trim()
  const seen = `${codeIn(cause)} ${reason}`
  const [, fix] = fixes.find(([pattern]) => pattern.test(seen)) ?? [null, 'fix_reach' as const]
  const text = say('unavailable', { what, reason, fix: say(fix) })
  return new DatabaseError('unavailable', text, { cause })
}

/** What to do, by the code and the message. Errors of several hosts have only their messages. */
const fixes = [
  [/no encryption|SSL off|is insecure/, 'fix_tls'],
  [/^28|password authentication failed|no pg_hba\.conf entry/, 'fix_sign_in'],
  [/certificate|^CERT_|^ERR_TLS_CERT/, 'fix_certificate'],
  [/^EPROTO|^ERR_SSL|SSL connection/, 'fix_tls'],
  [/^25006/, 'fix_primary'],
  [/^25P03/, 'fix_idle'],
  [/^25P04/, 'fix_long'],
  [/Query read timeout/, 'fix_slow'],
] as const

function codeIn(cause: unknown): string {
  return isError(cause) && 'code' in cause ? String(cause.code) : ''
}

// If a host has several addresses, their combined error has a code and no message.
function reasonOf(cause: unknown): string {
  if (!isError(cause)) return String(cause)
  return cause.message || codeIn(cause) || cause.name
}
