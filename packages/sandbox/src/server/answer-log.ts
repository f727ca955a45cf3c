import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from './charging.ts'
import type { Context } from './context.ts'
import { pageHeaders, refusalPage, wantsPage } from './pages.ts'
import { Refusal, refusals, type RefusalReason } from './refusals.ts'

/**
 * Responds to any thrown value: with a page for a person, else with the error object of the
 * interface.
 */
export function sendRefusal(
  context: Context,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { status, headers, body, refusal } = refuse(context, error, request)
  void reply.status(status).headers({ 'Cache-Control': 'no-store', ...headers })
  if (wantsPage(request)) {
    void reply.headers(pageHeaders).type('text/html; charset=utf-8')
    void reply.send(refusalPage(context, refusal))
    return
  }
  void reply.type('application/json').send(body)
}

/** Converts any thrown value to a response, and notes it for the journal. */
export function refuse({ onError }: Context, error: unknown, request: FastifyRequest) {
  const thrown = Object(error)
  const reason = reasons.get(thrown.code) ?? reasons.get(thrown.statusCode) ?? 'failed'
  const refusal = error instanceof Refusal ? error : new Refusal(reason)
  // An unexpected error.
  if (refusal !== error && reason === 'failed') onError(error)
  notesOf(request).refusal = refusal
  const { status, code } = refusals[refusal.reason]
  return {
    status,
    headers: refusal.headers,
    refusal,
    body: JSON.stringify({ error: refusal.message, code }),
  }
}

const reasons = new Map<unknown, RefusalReason>([
  // From a database that cannot be reached.
  ['unavailable', 'unavailable'],
  ['disk_full', 'unavailable'],
  ['closed', 'unavailable'],
  // From Fastify itself: invalid addresses, and the body of a request to the control page.
  ['FST_ERR_BAD_URL', 'bad_url'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not_found'],
  [400, 'bad_json'],
  [404, 'not_found'],
  [405, 'bad_method'],
  [413, 'body_too_large'],
  [414, 'headers_too_large'],
  [415, 'bad_media_type'],
])

interface Notes {
  caller?: Caller
  refusal?: Refusal
}

const notes = new WeakMap<FastifyRequest, Notes>()

/** The notes on a request for the journal. Callers add to them. */
export function notesOf(request: FastifyRequest): Notes {
  const known = notes.get(request) ?? {}
  notes.set(request, known)
  return known
}

/** Adds a request to the journal once it was answered. */
export function writeJournal(
  { journal }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const path = pathOf(request)
  // The control page polls the journal, and would otherwise fill it with its own requests.
  const isLook = request.method === 'GET' && path.startsWith('/_sandbox/')
  if (isLook && (reply.statusCode < 400 || reply.statusCode === 404)) return
  const { caller, refusal } = notesOf(request)
  journal.add({
    method: request.method,
    path,
    status: reply.statusCode,
    reason: refusal?.reason ?? null,
    detail: refusal?.message ?? null,
    accountId: caller?.accountId ?? null,
    keyDisplay: caller?.keyDisplay ?? null,
    charged: caller !== undefined && caller.proActive && caller.isGranted,
  })
}

function pathOf({ url }: FastifyRequest): string {
  const end = url.indexOf('?')
  const path = url.slice(0, end < 0 ? 500 : Math.min(end, 500))
  return path.replaceAll(/feed_(live|whsec|session)_[\w-]*/g, 'feed_$1_…')
}
