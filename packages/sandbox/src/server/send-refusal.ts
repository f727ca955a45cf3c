import { DatabaseError } from '@feed-receiver/database'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { noteRefusal } from './request-notes.ts'
import { Refusal, refusals, type RefusalReason } from './refusals.ts'

/** Answers whatever was thrown with the error object of the interface (2.6). */
export function sendRefusal(
  context: Context,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const refusal = toRefusal(context, error)
  const { status, code } = refusals[refusal.reason]
  noteRefusal(request, refusal)
  void reply
    .status(status)
    .headers({ 'Cache-Control': 'no-store', ...refusal.headers })
    .type('application/json')
    .send(JSON.stringify({ error: refusal.message, code }))
}

/** What was thrown as a refusal; what nobody meant to throw is told to `onError`. */
export function toRefusal({ onError }: Pick<Context, 'onError'>, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const refusal = new Refusal(reasonOf(error))
  if (refusal.reason === 'failed') onError(error)
  return refusal
}

function reasonOf(error: unknown): RefusalReason {
  if (error instanceof DatabaseError) {
    return unreachable.has(error.code) ? 'unavailable' : 'failed'
  }
  if (!(error instanceof Error) || !('statusCode' in error)) return 'failed'
  if ('code' in error && error.code === 'FST_ERR_BAD_URL') return 'bad_url'
  if ('code' in error && error.code === 'FST_ERR_MAX_PARAM_LENGTH') return 'not_found'
  return byStatus.get(error.statusCode) ?? 'failed'
}

const unreachable = new Set(['unavailable', 'disk_full', 'closed'])

// What Fastify itself refuses, which is only ever the body of a request to the control page.
const byStatus = new Map<unknown, RefusalReason>([
  [400, 'bad_json'],
  [404, 'not_found'],
  [405, 'bad_method'],
  [413, 'body_too_large'],
  [414, 'headers_too_large'],
  [415, 'bad_media_type'],
])
