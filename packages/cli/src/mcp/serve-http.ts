import { isSameSecret } from '@feed-receiver/core/node'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type McpServer,
} from '@modelcontextprotocol/server'
import type { Output } from '../output/output.ts'
import { startServer } from '../start-server.ts'

const host = '127.0.0.1'

interface HttpOptions {
  port: number
  token: string
  onError: Output['warn']
}

/**
 * Serves only this machine, to clients with the token. Rejects other host names and origins, so
 * that no web page can call it.
 */
export async function serveHttp(
  makeServer: () => McpServer,
  { port, token, onError }: HttpOptions,
) {
  const mcp = createMcpHandler(makeServer, { onerror: onError })
  const answer = async (request: Request) => {
    const rejection =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (rejection) return rejection
    if (!isSameSecret(request.headers.get('authorization'), `Bearer ${token}`)) {
      return new Response('The token is missing or wrong.\n', {
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
    if (new URL(request.url).pathname !== '/mcp') return new Response(null, { status: 404 })
    return await mcp.fetch(request)
  }
  const named = { what: 'The server', options: '--http <port>' }
  const server = await startServer(answer, { port, host, onError, named })
  return { url: `${server.url}mcp`, close: server.close }
}
