import type { Findings } from './observation.ts'
import type { ReceiverRequest } from './receiver.ts'
import { refusals } from './refusals.ts'
import type { Accepted, Reason, Refused } from './statuses.ts'

/** An HTTP answer; the names of its headers are lower-case. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** JSON: `{ status, id }` for what was kept, `{ error, code }` for what was refused. */
  body: string
}

/** Puts a judgement into an HTTP answer. */
export function makeReply(
  request: ReceiverRequest,
  reason: Reason,
  status: number,
  { eventId, bodyBytes, retryAfterSeconds }: Findings,
): Reply {
  const body = content(reason, eventId ?? null)
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
  if (reason === 'method_not_allowed') headers.allow = 'POST'
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  // Bytes of a body that nobody reads would be taken for the next request.
  if (bodyBytes === undefined && mayHoldMore(request)) headers.connection = 'close'
  return { status, headers, body }
}

function content(reason: Reason, id: string | null): string {
  if (isAccepted(reason)) return `{"status":"${reason}","id":${JSON.stringify(id)}}`
  if (isRefusal(reason)) return JSON.stringify({ error: refusals[reason], code: reason })
  return JSON.stringify({ status: 'quarantined', id, code: reason })
}

function isAccepted(reason: Reason): reason is Accepted {
  return reason === 'stored' || reason === 'duplicate'
}

function isRefusal(reason: Reason): reason is Refused {
  return Object.hasOwn(refusals, reason)
}

function mayHoldMore({ method, body }: ReceiverRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  return body !== 'already_read' && !(body instanceof Uint8Array)
}
