import type { Observation } from './delivery.ts'
import type { Platform } from './platform.ts'
import { reasons, type Reason } from './reasons.ts'
import { mayHoldMore, type ReceiverRequest } from './request.ts'

/** An HTTP answer; its header names are lower-case. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** JSON: `{ status, id }` for a stored event, `{ error, code }` for a rejection. */
  body: string
}

/** Makes the HTTP answer for the outcome of a delivery. */
export function makeReply(
  request: ReceiverRequest,
  { reason, status, eventId, retryAfterSeconds }: Observation,
  byteLength: Platform<unknown>['byteLength'],
): Reply {
  const { error, closes } = reasons[reason]
  const body =
    error === undefined
      ? storedBody(reason, eventId ?? null)
      : JSON.stringify({ error, code: reason })
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(byteLength(body)),
  }
  if (reason === 'method_not_allowed') headers.allow = 'POST'
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  if (closes && mayHoldMore(request) && !isHttp2(request)) headers.connection = 'close'
  return { status, headers, body }
}

function storedBody(reason: Reason, id: string | null): string {
  if (reason === 'stored') return `{"status":"stored","id":${JSON.stringify(id)}}`
  if (reason === 'duplicate') return `{"status":"duplicate","id":${JSON.stringify(id)}}`
  return JSON.stringify({ status: 'quarantined', id, code: reason })
}

/** HTTP/2 ends the stream of the request in place of the connection. */
function isHttp2({ body }: ReceiverRequest): boolean {
  return typeof body === 'object' && 'httpVersionMajor' in body && body.httpVersionMajor === 2
}
