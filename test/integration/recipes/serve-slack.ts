import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

export interface SlackMessage {
  ts: string
  thread?: string
  /** Its texts, from the first to the current one. */
  texts: string[]
}

export interface SlackCall {
  method: string
  thread?: string
  text: string
}

/** Answers one call in place of the server. Returns whether the call has its effect all the same. */
export type SlackFault = (response: ServerResponse) => boolean

export interface Slack {
  url: string
  /** The calls that had an effect, in order. */
  calls: SlackCall[]
  messages: SlackMessage[]
  /** Faults for the next calls of a method, one each. */
  failNext(method: string, ...faults: SlackFault[]): void
}

export const slackToken = 'xoxb-for-tests-only'
export const slackChannel = 'C024BE91L'

/** A Slack for the describe block around it. */
export function useSlack(): () => Slack {
  let slack: (Slack & { stop(): void }) | undefined
  beforeAll(async () => {
    slack = await serveSlack()
  })
  afterAll(() => slack?.stop())
  return () => {
    if (!slack) throw new Error('Slack starts in beforeAll, and this was before it')
    return slack
  }
}

/**
 * A Slack with `chat.postMessage` and `chat.update` as documented: errors are a 200 with `ok: false`,
 * rate limits a 429 with `Retry-After`, and `chat.update` takes the id of a channel, not its name.
 */
export async function serveSlack(): Promise<Slack & { stop(): void }> {
  const calls: SlackCall[] = []
  const messages: SlackMessage[] = []
  const faults = new Map<string, SlackFault[]>()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    calls,
    messages,
    failNext: (method, ...next) => faults.set(method, [...(faults.get(method) ?? []), ...next]),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const method = (request.url ?? '').replace('/api/', '')
    const fault = faults.get(method)?.shift()
    if (fault && !fault(response)) return
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>
    const isAuthentic = request.headers.authorization === `Bearer ${slackToken}`
    const result = isAuthentic ? call(method, body) : { ok: false, error: 'invalid_auth' }
    if (fault) return
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end(JSON.stringify(result))
  }

  function call(
    method: string,
    { channel, text = '', ts, thread_ts: thread }: Record<string, string>,
  ) {
    const names = method === 'chat.postMessage' ? [slackChannel, '#incidents'] : [slackChannel]
    if (!names.includes(channel ?? '')) return { ok: false, error: 'channel_not_found' }
    if (text === '') return { ok: false, error: 'no_text' }
    if (method === 'chat.postMessage') {
      const message = {
        ts: `1700000000.${String(messages.length + 1).padStart(6, '0')}`,
        ...(thread !== undefined && { thread }),
        texts: [text],
      }
      messages.push(message)
      calls.push({ method, ...(thread !== undefined && { thread }), text })
      return { ok: true, channel: slackChannel, ts: message.ts, message: { text } }
    }
    const message = messages.find((one) => one.ts === ts)
    if (!message) return { ok: false, error: 'message_not_found' }
    message.texts.push(text)
    calls.push({ method, text })
    return { ok: true, channel: slackChannel, ts, text }
  }
}

export const slackFaults = {
  rateLimited: (response) => {
    response.writeHead(429, { 'retry-after': '1' })
    response.end(JSON.stringify({ ok: false, error: 'ratelimited' }))
    return false
  },
  rejected: (response) => {
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end(JSON.stringify({ ok: false, error: 'internal_error' }))
    return false
  },
  reset: (response) => {
    response.socket?.destroy()
    return false
  },
} satisfies Record<string, SlackFault>
