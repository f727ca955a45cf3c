import { reasons, type Meaning } from '@feed-receiver/core'
import type { AttemptRecord, Outcome } from '@feed-receiver/sender'
import { readOwnAnswer } from './conformance/traps/find-trap.ts'
import { present } from './output/words.ts'

/** One attempt as a line, without its number. */
export function describeAttempt(record: AttemptRecord): string {
  const { status, cause, error, durationMs, responseBody, nextDelayMs } = record
  const answer = status === null ? `no answer (${error?.code ?? cause})` : `${status} ${cause}`
  return present(
    answer,
    `${durationMs} ms`,
    nextDelayMs !== undefined && `next in ${describeDelay(nextDelayMs)}`,
    responseBody?.replaceAll(/\s+/g, ' ').slice(0, 200),
  ).join('  ')
}

/** A delay in a readable unit: 30 s, 8 min. */
export function describeDelay(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return `${Math.round(ms / 6000) / 10} min`
}

/** How to fix what made a delivery fail; undefined if it succeeded. */
export function fixOf({ result, attempts }: Outcome): string | undefined {
  const last = attempts.at(-1)
  return result === 'delivered' || !last ? undefined : fixOfAttempt(last)
}

/**
 * How to fix what made an attempt fail. It blames the secret only if the receiver itself answered.
 */
export function fixOfAttempt({ status, cause, responseBody }: FailedAttempt): string {
  const { code = '' } = readOwnAnswer(responseBody ?? '') ?? {}
  if (code === 'signature_mismatch') return `${reasons.signature_mismatch.fix} ${explaining}`
  return meanings[code]?.fix ?? byStatus[status ?? 0] ?? byCause[cause] ?? ''
}

interface FailedAttempt {
  status: number | null
  cause: string
  responseBody?: string | null | undefined
}

const meanings: Readonly<Record<string, Meaning>> = reasons
const explaining = '`feed-receiver explain` finds the cause for a captured delivery.'
const byStatus: Readonly<Record<number, string>> = {
  401: 'Something in front of the receiver did not let the request in, such as a login page or a CSRF filter. Let a POST to this URL through. If the receiver is your own code, check its secret.',
  403: 'Something in front of the receiver rejects the delivery, such as a login or a firewall. Let this path through.',
  404: 'No route matches this path. Check the path.',
  405: 'This path does not accept POST. Check the path and the method of the route.',
  413: 'The body exceeds a size limit. Raise the limit of the receiver, or of the proxy in front of it.',
}

const byCause: Readonly<Record<string, string>> = {
  accepted: '',
  aborted: 'The attempt was interrupted, so it is unknown whether the receiver has the event.',
  rejected:
    'The service would pause the destination on this status. Check what answers at this URL.',
  blocked_address:
    'Nothing is delivered to this kind of address, such as that of a metadata service. Use another host.',
  redirect: 'The service does not follow redirects. Use the URL that it redirects to.',
  rate_limited: 'The receiver limits the rate. Send fewer at once, or try again later.',
  unlisted_status: 'The service would retry this status. Check what answers at this URL.',
  server_error: 'The receiver failed. Read its log, then send again.',
  invalid_status: 'The answer has an invalid HTTP status. Check host and port.',
  timeout: 'The receiver did not answer within 10 seconds. Check what it waits for.',
  dns: 'The host name has no address. Check the name.',
  connect: 'Nothing listens there. Start the receiver, or check host and port.',
  tls: 'TLS failed. Check the certificate of the host, and whether it should be http instead of https.',
  reset: 'The connection was closed without an answer. Read the log of the receiver.',
  invalid_answer:
    'The answer is not HTTP. Check the port, and whether it should be https instead of http.',
  network: 'The network failed. Check host and port.',
} satisfies Record<AttemptRecord['cause'], string>
