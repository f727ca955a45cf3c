import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiFault } from './api-faults.ts'

/** The body with the fault in it; faults that do nothing to it leave it alone. */
export function spoilBody(body: string, { kind }: ApiFault, request: FastifyRequest): string {
  if (kind === 'not_json') return foreignPage
  const answer: unknown = JSON.parse(body)
  if (!isObject(answer)) return body
  return JSON.stringify(spoilMembers(answer, kind, request.query))
}

/** What a proxy in front of a service answers while this is away. */
export const foreignPage = '<!doctype html><title>Back soon</title>'

/** The answer with members that it should not have, or not so; `sent` is what was asked with. */
export function spoilMembers(
  answer: Record<string, unknown>,
  kind: ApiFault['kind'],
  sent: unknown,
): Record<string, unknown> {
  return { ...answer, ...spoiledMembers(answer, kind, sent) }
}

function spoiledMembers(
  answer: Record<string, unknown>,
  kind: ApiFault['kind'],
  sent: unknown,
): Record<string, unknown> {
  if (kind === 'null_cursor') return { nextCursor: null }
  if (kind === 'stuck_cursor') return { nextCursor: sentCursor(sent), hasMore: true }
  if (kind === 'other_contract') return { contractVersion: 'account-events/2099-01-01.v9' }
  return kind === 'unknown_member' ? unknownMembers(answer) : {}
}

/** Ends the connection after half of the body. */
export function cutAnswer(reply: FastifyReply, body: string): void {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  raw.write(body.slice(0, body.length / 2), () => raw.destroy())
}

function unknownMembers({ data, event }: Record<string, unknown>): Record<string, unknown> {
  const more = { xUnknown: { added: 'by a fault rule' } }
  return {
    ...more,
    ...(Array.isArray(data) && {
      data: data.map((one) => (isObject(one) ? { ...one, ...more } : one)),
    }),
    ...(isObject(event) && { event: { ...event, ...more } }),
  }
}

function sentCursor(sent: unknown): unknown {
  return isObject(sent) && typeof sent['cursor'] === 'string' ? sent['cursor'] : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
