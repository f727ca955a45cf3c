import type { Requester } from './requester.ts'

/** Whoever called a tool waits for it, and had better be told of a longer one. */
const maxWaitMs = 30_000

/**
 * The `fetch` of an MCP transport: within the limits of the client that it belongs to, with its key,
 * and without the stream that older revisions open and this service does not have. Each request
 * counts against the allowance (R145).
 */
export function mcpFetch(requester: Requester) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method === 'GET' || init.method === 'DELETE')
      return new Response(null, { status: 405 })
    const { signal, ...rest } = init
    const options = { maxWaitMs, ...(signal && { signal }) }
    return await requester.fetch(new URL(input), rest, options)
  }
}
