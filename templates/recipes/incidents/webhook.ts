import type { Chat } from './chat.ts'
import { sendJson } from './send-json.ts'

/**
 * Posts each message as JSON to a URL: `{ action, id, threadId, message }`. An edit has the `id` of
 * the message that it replaces. Receivers ignore a repeated `Idempotency-Key`.
 */
export function createWebhook(url: string): Chat {
  return {
    async post(message, { threadId, ...options }) {
      const id = options.idempotencyKey
      await sendJson(url, { action: 'post', id, threadId, message }, options)
      return id
    },
    async edit(id, message, options) {
      await sendJson(url, { action: 'edit', id, message }, options)
    },
  }
}
