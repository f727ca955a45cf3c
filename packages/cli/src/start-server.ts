import { codeOf } from '@feed-receiver/core/internal'
import { toNodeHandler } from '@feed-receiver/core/node'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { CliError } from './errors.ts'

interface ServerOptions {
  port: number
  host: string
  onError: (error: unknown) => void
  /** What listens, and the options that choose another port. */
  named: { what: string; options: string }
}

/**
 * Answers requests on a port. Closing it also closes open connections, because a page keeps polling.
 *
 * @throws CliError `cannot_listen`
 */
export async function startServer(
  answer: (request: Request) => Promise<Response>,
  { port, host, onError, named: { what, options } }: ServerOptions,
) {
  const handle = toNodeHandler(answer)
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      onError(error)
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    throw new CliError(
      'cannot_listen',
      `${what} cannot listen on port ${port} of ${host} (${codeOf(cause) ?? 'unknown error'}). Stop the process that uses the port, or choose another with ${options}.`,
      cause,
    )
  }
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port
  return {
    /** With a slash at the end. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}/`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
