import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from './charging.ts'
import type { Context } from './context.ts'
import type { Refusal } from './refusals.ts'

interface Notes {
  caller?: Caller
  refusal?: Refusal
}

const notes = new WeakMap<FastifyRequest, Notes>()

/** What the journal is to know of a request, to be added to. */
export function notesOf(request: FastifyRequest): Notes {
  const known = notes.get(request) ?? {}
  notes.set(request, known)
  return known
}

/** Writes a request into the journal, once it was answered. */
export function writeJournal(
  { journal }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const path = pathOf(request)
  // The control page looks at the journal all the time, and would see little but itself.
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
