import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { CliError } from '../errors.ts'

export interface Serving {
  /** Where it is reached, with a slash at the end. */
  url: string
  /** Ends what is under way, too: a page asks again and again. */
  close(): Promise<void>
}

/** Listens on an address of this machine. */
export async function serve(
  listener: RequestListener,
  { port, host }: { port: number; host: string },
): Promise<Serving> {
  const server = createServer(listener)
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw refuse(`port ${port} of ${host}`, cause)
  }
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}/`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function refuse(place: string, cause: unknown): CliError {
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return new CliError(
    'cannot_listen',
    `Nothing can listen on ${place}${code}. Stop what does, or choose another with --port and --host.`,
    { cause },
  )
}
