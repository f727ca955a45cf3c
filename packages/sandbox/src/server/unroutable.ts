import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { checkHost } from './session.ts'
import { admit } from './caller.ts'
import { noteCaller, writeJournal } from './request-notes.ts'
import { Refusal } from './refusals.ts'
import { sendRefusal } from './send-refusal.ts'

/**
 * Answers an address that the router gave up on: a percent sign that begins no character, or a part
 * that is too long. Below /v1 and /mcp a key is asked for first, and charged, as anywhere else there.
 */
export async function answerUnroutable(
  context: Context,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    const isMcp = request.url.startsWith('/mcp/')
    if (isMcp) checkHost(context, request)
    if (isMcp || request.url.startsWith('/v1/')) {
      await admit(context.chargeRequest, request.headers.authorization, (caller) =>
        noteCaller(request, caller),
      )
    }
    // A reference of no such form is one that does not exist (R137).
    if (request.url.startsWith('/v1/account-events/')) throw new Refusal('account_event_missing')
    sendRefusal(context, error, request, reply)
  } catch (refused) {
    sendRefusal(context, refused, request, reply)
  }
  // No hooks are run for these.
  writeJournal(context.journal, request, reply)
}
