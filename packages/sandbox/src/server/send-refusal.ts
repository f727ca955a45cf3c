import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { Refusal, refusals, type RefusalReason } from './refusals.ts'
import { notesOf } from './request-notes.ts'

/** Answers whatever was thrown with the error object of the interface (2.6). */
export function sendRefusal(
  context: Context,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refusal = toRefusal(context, error)
  const { status, code } = refusals[refusal.reason]
  notesOf(request).refusal = refusal
  void reply
    .status(status)
    .headers({ 'Cache-Control': 'no-store', ...refusal.headers })
    .type('application/json')
    .send(JSON.stringify({ error: refusal.message, code }))
}

/** What was thrown as a refusal; what nobody meant to throw is told to `onError`. */
export function toRefusal({ onError }: Context, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { code, statusCode } = Object(error)
  const refusal = new Refusal(reasons.get(code) ?? reasons.get(statusCode) ?? 'failed')
  if (refusal.reason === 'failed') onError(error)
  return refusal
}

const reasons = new Map<unknown, RefusalReason>([
  // Of a database that cannot be reached.
  ['unavailable', 'unavailable'],
  ['disk_full', 'unavailable'],
  ['closed', 'unavailable'],
  // What Fastify itself refuses: addresses, and the body of a request to the control page.
  ['FST_ERR_BAD_URL', 'bad_url'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not_found'],
  [400, 'bad_json'],
  [404, 'not_found'],
  [405, 'bad_method'],
  [413, 'body_too_large'],
  [414, 'headers_too_large'],
  [415, 'bad_media_type'],
])
