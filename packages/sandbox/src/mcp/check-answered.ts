import { Refusal, type RefusalReason } from '../server/refusals.ts'

/**
 * Gives what the protocol's handler refuses before it knows of a request in it the one shape of errors
 * (R77). An answer to a request, which has its id, is the protocol's own: clients find in it which
 * revision to speak.
 *
 * @throws Refusal for a body that is no message, its type, and what the client accepts
 */
export async function checkAnswered(response: Response): Promise<void> {
  if (response.status < 400) return
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const { id, error } = Object(answer)
  if (id !== undefined && id !== null) return
  const detail = typeof error?.message === 'string' ? `${error.message}.` : undefined
  throw new Refusal(reasons.get(response.status) ?? 'failed', { ...(detail && { detail }) })
}

const reasons = new Map<number, RefusalReason>([
  [400, 'bad_message'],
  [406, 'not_acceptable'],
  [413, 'body_too_large'],
  [415, 'bad_media_type'],
])
