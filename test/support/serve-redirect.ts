import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listen } from '../contract/listen.ts'

/** The most common redirect, and those that keep the method and the body. */
export const redirectStatuses = [302, 307, 308]

interface Received {
  headers: IncomingHttpHeaders
  body: string
}

/**
 * Redirects every request to another server during one test. `received` are the requests before
 * the redirect, and `followed` those at the other server, which answers 200.
 */
export async function serveRedirect(status: number) {
  const [received, followed]: [Received[], Received[]] = [[], []]
  const elsewhere = await record(followed, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const url = await record(received, (request, response) => {
    response.writeHead(status, { location: `${elsewhere}${request.url}` }).end()
  })
  return { url, received, followed }
}

async function record(
  requests: Received[],
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = await listen((request, response) => void take(request, response))
  onTestFinished(server.close)
  return `http://127.0.0.1:${server.port}`

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push({ headers: request.headers, body: await text(request) })
    answer(request, response)
  }
}
