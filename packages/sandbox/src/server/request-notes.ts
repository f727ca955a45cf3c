import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from './charging.ts'
import type { Context } from './context.ts'
import type { Rejection } from './rejections.ts'
import { routedPath } from './reject-unrouted.ts'

interface Notes {
  caller?: Caller
  rejection?: Rejection
}

const notes = new WeakMap<FastifyRequest, Notes>()

/** The notes on a request for the journal. Callers add to them. */
export function notesOf(request: FastifyRequest): Notes {
  const known = notes.get(request) ?? {}
  notes.set(request, known)
  return known
}

/** Adds a request to the journal once it was answered. */
export function writeJournal({ journal }: Context, request: FastifyRequest, reply: FastifyReply) {
  const path = routedPath(request)
    .slice(0, 500)
    .replaceAll(/feed_(live|whsec|session)_[\w-]*/g, 'feed_$1_…')
  // The control page polls the journal, and would otherwise fill it with its own requests.
  const isRead = request.method === 'GET' && path.startsWith('/_sandbox/')
  if (isRead && (reply.statusCode < 400 || reply.statusCode === 404)) return
  const { caller, rejection } = notesOf(request)
  journal.add({
    method: request.method,
    path,
    status: reply.statusCode,
    reason: rejection?.reason ?? null,
    detail: rejection?.message ?? null,
    accountId: caller?.accountId ?? null,
    keyDisplay: caller?.keyDisplay ?? null,
    charged: caller !== undefined && caller.proActive && caller.isGranted,
  })
}
