import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { ApiEvent } from '../src/api/index.ts'
import { sendError, type Fault } from './serve-feed.ts'

export interface ServedMcp {
  baseUrl: string
  /** The received JSON-RPC methods, or the HTTP method if there was no body. */
  calls: string[]
  events: ApiEvent[]
  /** Overrides the answer of a tool. */
  answers: Map<string, object>
  failNext(...faults: Fault[]): void
  /** Forgets the session, as a restart does. Only an older revision has one. */
  endSession(): void
  /** The fault for every request that `failNext` has none for. */
  alwaysFail: Fault | null
}

const usage = { requests: 5, limit: 100, period: '2026-12', resetsAt: '2027-01-01T00:00:00Z' }

/** The four tools on a real MCP server of the official SDK, for one test. */
export async function serveMcp({ isOld = false } = {}): Promise<ServedMcp> {
  const faults: Fault[] = []
  let sessions = 0
  const handler = createMcpHandler(() => makeServer(served))
  const handle = toNodeHandler(handler)
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const message = text === '' ? {} : JSON.parse(text)
      served.calls.push(message.method ?? request.method)
      const key = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
      const fault = faults.shift() ?? served.alwaysFail
      const query = new URLSearchParams()
      if (fault) return fault(response, { path: '/mcp', query, key, message })
      if (key !== 'feed_live_good') return sendError(response, 401, 'unauthorized')
      if (isOld && message.method === 'server/discover') return rejectMethod(response, message.id)
      if (isOld && message.method === 'initialize') {
        response.setHeader('mcp-session-id', `session-${sessions}`)
      } else if (isOld && request.headers['mcp-session-id'] !== `session-${sessions}`) {
        return sendError(response, 404, 'not_found')
      }
      response.setHeader('x-ratelimit-limit', '100')
      response.setHeader('x-ratelimit-remaining', '95')
      response.setHeader('x-ratelimit-reset', '2027-01-01T00:00:00Z')
      const { method = '', url = '' } = request
      await handle(Object.assign(request, { method, url }), response, message)
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const served: ServedMcp = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    events: [],
    answers: new Map(),
    failNext: (...next) => faults.push(...next),
    endSession: () => (sessions += 1),
    alwaysFail: null,
  }
  return served
}

/** As a server of an older revision does. */
function rejectMethod(response: ServerResponse, id: unknown): void {
  const error = { code: -32601, message: 'Method not found' }
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, error }))
}

function makeServer({ events, answers }: ServedMcp): McpServer {
  const server = new McpServer({ name: 'feed', version: '1.0.0' })
  const tools: Record<string, [z.ZodObject, (input: Record<string, unknown>) => object]> = {
    list_changes: [
      z.object({
        limit: z.number().optional(),
        cursor: z.string().optional(),
        provider: z.string().optional(),
      }),
      ({ cursor = null }) => ({ data: events, nextCursor: cursor, hasMore: false, usage }),
    ],
    get_change: [
      z.object({ id: z.string() }),
      ({ id }) => {
        const event = events.find((one) => one.id === id)
        return event ? { event, usage } : { error: 'No such event.', code: 'not_found' }
      },
    ],
    get_deprecations: [
      z.object({ model: z.string().optional() }),
      () => ({ data: [], nextCursor: null, hasMore: false, usage }),
    ],
    check_model: [
      z.object({ model: z.string(), provider: z.string().optional() }),
      () => ({ result: 'unknown', usage }),
    ],
  }
  for (const [name, [inputSchema, answer]] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema }, (input) => {
      const structuredContent = answers.get(name) ?? answer(input)
      const isError = 'code' in structuredContent
      return {
        content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
        structuredContent,
        isError,
      }
    })
  }
  return server
}
