import { isError } from '@feed-receiver/core'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { isSameSecret, toNodeHandler } from '@feed-receiver/core/node'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type McpServer,
} from '@modelcontextprotocol/server'
import { CliError } from '../errors.ts'
import type { Output } from '../output/output.ts'

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
  const handle = toNodeHandler(async (request) => {
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
  })
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      onError(error)
      response.destroy()
    })
  })
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const code = isError(cause) && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new CliError(
      'cannot_listen',
      `The server cannot listen on port ${port} of ${host}${code}. Stop the process that uses the port, or choose another with --http <port>.`,
      cause,
    )
  }
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host}:${found}/mcp`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
