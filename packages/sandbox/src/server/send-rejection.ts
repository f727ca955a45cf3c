import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { textPageHeaders, rejectionPage, wantsPage } from './pages.ts'
import { Rejection, rejections, type RejectionReason } from './rejections.ts'
import { notesOf } from './request-notes.ts'

/** Responds to any thrown value: with a page for a person, else with the interface's error object. */
export function sendRejection(
  context: Context,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, headers, body, rejection } = toErrorResponse(context, error, request)
  void reply.status(status).headers({ 'Cache-Control': 'no-store', ...headers })
  if (wantsPage(request)) {
    void reply.headers(textPageHeaders).type('text/html; charset=utf-8')
    void reply.send(rejectionPage(context, rejection))
    return
  }
  void reply.type('application/json').send(body)
}

/** Converts any thrown value to a response, and notes it for the journal. */
export function toErrorResponse({ onError }: Context, error: unknown, request: FastifyRequest) {
  const thrown = Object(error)
  const reason = reasons.get(thrown.code) ?? reasons.get(thrown.statusCode) ?? 'failed'
  const rejection = error instanceof Rejection ? error : new Rejection(reason)
  // An unexpected error.
  if (rejection !== error && reason === 'failed') onError(error)
  notesOf(request).rejection = rejection
  const { status, code } = rejections[rejection.reason]
  return {
    status,
    headers: rejection.headers,
    rejection,
    body: JSON.stringify({ error: rejection.message, code }),
  }
}

const reasons = new Map<unknown, RejectionReason>([
  // From a database that cannot be reached.
  ['unavailable', 'unavailable'],
  ['disk_full', 'unavailable'],
  ['closed', 'unavailable'],
  // From Fastify itself: invalid addresses, and the body of a request to the control page.
  ['FST_ERR_BAD_URL', 'bad_url'],
  [400, 'bad_json'],
  [404, 'not_found'],
  [405, 'bad_method'],
  [413, 'body_too_large'],
  [414, 'headers_too_large'],
  [415, 'bad_media_type'],
])
