import type { AttemptRecord, Outcome } from '@feed-receiver/sender'

/** One attempt as a line, without its number. */
export function describeAttempt(record: AttemptRecord): string {
  const { status, cause, error, durationMs, responseBody, nextDelayMs } = record
  const answer = status === null ? `no answer (${error?.code ?? cause})` : `${status} ${cause}`
  const next = nextDelayMs === undefined ? [] : [`next in ${describeDelay(nextDelayMs)}`]
  const body =
    responseBody === undefined ? [] : [responseBody.replaceAll(/\s+/g, ' ').slice(0, 200)]
  return [answer, `${durationMs} ms`, ...next, ...body].join('  ')
}

/** A delay as people say it: 30 s, 8 min. */
export function describeDelay(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return `${Math.round(ms / 6000) / 10} min`
}

/** What to do about a delivery that did not arrive; undefined where it did. */
export function adviseOn({ result, attempts }: Outcome): string | undefined {
  const last = attempts.at(-1)
  return result === 'delivered' || !last ? undefined : adviseOnAttempt(last)
}

/** What to do about an attempt that was not accepted. */
export function adviseOnAttempt({ status, cause }: AttemptRecord): string | undefined {
  if (status !== null && Object.hasOwn(adviceByStatus, status)) return adviceByStatus[status]
  return adviceByCause[cause]
}

const adviceByStatus: Record<number, string> = {
  401:
    'The receiver did not accept the signature, and the service would pause the destination: compare ' +
    'the secrets on both sides. `feed-receiver explain` finds out why for a captured delivery.',
  403: 'Something before the receiver refuses it, such as a login or a firewall: let the route through.',
  404: 'Nothing is mounted at this path: check its path.',
  405: 'The path takes no POST: check the path, and the method of the route.',
  413: 'The body is over a limit: raise that of the receiver, or of the proxy before it.',
}

const adviceByCause: Record<AttemptRecord['cause'], string> = {
  accepted: '',
  aborted: 'It was broken off; whether the receiver has the event is unknown.',
  rejected: 'The service would pause the destination on this status: see what answers there.',
  blocked_address:
    'Its address is one that nothing is delivered to, such as a metadata service: give another host.',
  redirect: 'The service follows no redirect: give the address it leads to.',
  rate_limited: 'The receiver is busy: send less at once, or again later.',
  unlisted_status: 'The service would try again: see what answers there.',
  server_error: 'The fault is in the receiver: look at its log, then send again.',
  invalid_status: 'What answers there does not speak HTTP as it should: check host and port.',
  timeout: 'No answer came within 10 seconds: see what the receiver waits for.',
  dns: 'The host has no address: check its name.',
  connect: 'Nothing listens there: start the receiver, or check host and port.',
  tls: 'TLS failed: check the certificate of the host, and https against http.',
  reset: 'The connection was closed without an answer: look at the log of the receiver.',
  invalid_answer: 'What answers there does not speak HTTP: check the port, and https against http.',
  network: 'The network failed on the way: check host and port.',
}
