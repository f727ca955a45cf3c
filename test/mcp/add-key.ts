import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A way to a server for tools that have no option for a key: the same requests and answers, with the
 * key, and with the Host they came with unless it is the way's own.
 */
export async function addKey(to: string, key: string): Promise<{ url: string; server: Server }> {
  const server = createServer((asked, answer) => {
    const target = new URL(asked.url ?? '/', to)
    const { address, port } = ownAddress(server)
    const own = [`${address}:${port}`, `localhost:${port}`]
    const host = asked.headers.host ?? ''
    const headers = { ...asked.headers, host: own.includes(host) ? target.host : host }
    const { origin } = asked.headers
    if (own.some((name) => origin === `http://${name}`)) headers.origin = target.origin
    const passed = request(target, {
      method: asked.method ?? 'GET',
      headers: { ...headers, authorization: `Bearer ${key}` },
    })
    passed.on('response', (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${ownAddress(server).port}`, server }
}

function ownAddress(server: Server): AddressInfo {
  const address = server.address()
  if (typeof address === 'object' && address) return address
  throw new Error('the server does not listen on a port')
}
