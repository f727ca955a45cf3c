import { codeOf } from '@feed-receiver/core/internal'
import { DatabaseError, reasonOf } from '../errors.ts'

/** The error of a call that found no usable connection, or lost it. */
export function unavailable(what: string, cause: unknown): DatabaseError {
  const reason = reasonOf(cause)
  const seen = `${codeOf(cause) ?? ''} ${reason}`
  const [, fix] = fixes.find(([pattern]) => pattern.test(seen)) ?? [undefined, reach]
  const text = `PostgreSQL ${what} (${reason}). ${fix} The next call reconnects.`
  return new DatabaseError('unavailable', text, { cause })
}

const reach =
  'Check that it runs, that its URL has the right host, user and database, and that it has free connections.'
const tls =
  'Check the port in its URL, and whether it uses TLS: if it does, add sslmode=verify-full to the URL, else remove sslmode.'

/** What to do, by the code and the message. Errors of several hosts have only their messages. */
const fixes: [pattern: RegExp, fix: string][] = [
  [/no encryption|SSL off|is insecure/, tls],
  [
    /^28|password authentication failed|no pg_hba\.conf entry/,
    'Check the user and the password in its URL, and its rules in pg_hba.conf.',
  ],
  [
    /certificate|^CERT_|^ERR_TLS_CERT/,
    'Check the host name in its URL, and that its certificate is valid; if an authority of your own has signed it, add sslrootcert=<file> to the URL.',
  ],
  [/^EPROTO|^ERR_SSL|SSL connection/, tls],
  [
    // The server writes a file for the first connection after a change of its catalogs.
    /No space left on device|could not write init file/,
    'Its disk is full: free some space on it.',
  ],
  [/^25006/, 'List all hosts in its URL, or promote this one.'],
  [
    /^25P03/,
    'A transaction waited longer than idle_in_transaction_session_timeout for its next statement: shorten what runs between its statements, or raise that timeout.',
  ],
  [
    /^25P04/,
    'A transaction took longer than transaction_timeout: shorten it, or raise that timeout.',
  ],
  [
    /no answer within|Query read timeout/,
    'Check that it runs, its load, and which sessions wait for a lock.',
  ],
]
