import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy to a server, for tools without an option for a key. It adds the key, and passes requests
 * and responses on. The Host is that of the request, unless it is the address of the proxy.
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
