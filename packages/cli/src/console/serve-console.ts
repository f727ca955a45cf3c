import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ConsoleOptions } from '@feed-receiver/console'
import { toNodeHandler } from '@feed-receiver/core/node'
import { CliError, problem } from '../errors.ts'
import type { Output } from '../output/output.ts'

/** Serves the console on an address of this machine; its package is loaded only now. */
export async function serveConsole(
  options: Pick<ConsoleOptions, 'inbox' | 'token' | 'readOnly'>,
  { port, host, out }: { port: number; host: string; out: Output },
) {
  const { ConsoleError, createConsole } = await import('@feed-receiver/console')
  const server = createServer()
  try {
    const handle = toNodeHandler(createConsole({ ...options, onError: out.warn }))
    server.on('request', (request, response) => {
      handle(request, response).catch((error: unknown) => {
        out.warn(error)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    })
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    if (cause instanceof ConsoleError) throw new CliError('usage', cause.message, cause)
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw problem('cannot_listen', 'port', { port, host, code }, cause)
  }
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port

  return {
    /** Where it is reached, with a slash at the end. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}/`,
    /** Ends open requests, too: a page asks again and again. */
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
