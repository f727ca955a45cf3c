import { RetryAfter } from '@feed-receiver/inbox'
import type { SendOptions } from './chat.ts'

const timeoutMs = 10_000

/** Posts JSON, and throws unless the answer is a 2xx. */
export async function sendJson(
  url: string,
  body: object,
  { idempotencyKey, signal, token }: SendOptions & { token?: string },
): Promise<Response> {
  const { host } = new URL(url)
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'idempotency-key': idempotencyKey,
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  const { status, ok, headers } = response
  if (status === 429)
    throw new RetryAfter(headers.get('retry-after') ?? 30, `${host} answered 429.`)
  if (!ok) throw new Error(`${host} answered ${status}.`)
  return response
}
