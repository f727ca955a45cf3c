import { once } from 'node:events'
import {
  createServer,
  request as sendRequest,
  type IncomingMessage,
  type RequestListener,
} from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createReceiver } from './receiver.node.ts'
import { memoryInbox } from './testing/index.ts'
import { toNodeHandler, type FetchHandler } from './to-node-handler.ts'

async function serve(handler: FetchHandler, wrap = (listener: RequestListener) => listener) {
  const handle = toNodeHandler(handler)
  const failures: unknown[] = []
  const server = createServer(
    wrap((request, response) => {
      handle(request, response).catch((error: unknown) => {
        failures.push(error)
        response.destroy()
      })
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, failures }
}

async function serveHttp2(handler: FetchHandler) {
  const handle = toNodeHandler(handler)
  const failures: unknown[] = []
  const server = createHttp2Server((request, response) => {
    handle(request, response).catch((error: unknown) => {
      failures.push(error)
      response.writeHead(500).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const session = connect(url)
  onTestFinished(() => (session.destroy(), void server.close()))
  const send = async (headers: Record<string, string>, sent = '') => {
    const stream = session.request(headers).end(sent)
    const [answer] = (await once(stream, 'response')) as [Record<string, unknown>]
    return { status: answer[':status'], body: await text(stream) }
  }
  return { url, failures, send }
}

describe('toNodeHandler', () => {
  it('passes method, URL, headers and body to the handler, and writes the response', async () => {
    const { url } = await serve(async (request) => {
      const { pathname, search } = new URL(request.url)
      const seen = [
        request.method,
        pathname,
        search,
        request.headers.get('x-a'),
        await request.text(),
      ]
      return Response.json(seen, { status: 201, headers: { 'x-b': 'c' } })
    })
    const response = await fetch(`${url}/a/b?c=d`, {
      method: 'PUT',
      headers: { 'x-a': '1' },
      body: 'Zürich',
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-b')).toBe('c')
    expect(await response.json()).toEqual(['PUT', '/a/b', '?c=d', '1', 'Zürich'])
  })

  it('rejects a receiver at once, and says what to pass', () => {
    const receiver = createReceiver({ secrets: ['feed_whsec_node_handler'], inbox: memoryInbox() })
    // @ts-expect-error -- as in JavaScript
    expect(() => toNodeHandler(receiver)).toThrow('Pass toFetch(receiver)')
  })

  it('passes a request over HTTP/2 to the handler, and writes the response', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const { url, send } = await serveHttp2(async (request) =>
      Response.json(
        [request.method, request.url, request.headers.get('x-a'), await request.text()],
        {
          status: 201,
          headers: { connection: 'close' },
        },
      ),
    )
    const { status, body } = await send(
      { ':method': 'POST', ':path': '/a?b=c', 'x-a': '1' },
      'body',
    )
    expect(status).toBe(201)
    expect(JSON.parse(body)).toEqual(['POST', `${url}/a?b=c`, '1', 'body'])
    expect(warnings).toEqual([])
  })

  it.each([
    ['get', 200, 'GET'],
    ['head', 200, ''],
    ['patch', 200, 'PATCH'],
    ['trace', 501, ''],
    ['Track', 501, ''],
  ])(
    'handles the method %s of a request over HTTP/2 in upper case',
    async (method, status, body) => {
      const { send, failures } = await serveHttp2(({ method: seen }) => new Response(seen))
      expect(await send({ ':method': method })).toEqual({ status, body })
      expect(failures).toEqual([])
    },
  )

  it('answers 501 to a method that no fetch request can have', async () => {
    const { url, failures } = await serve(() => new Response('x'))
    const sending = sendRequest(url, { method: 'TRACE' }).end()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    response.resume()
    expect([response.statusCode, failures]).toEqual([501, []])
  })

  it('keeps cookies in separate headers', async () => {
    const headers = new Headers()
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    const { url } = await serve(() => new Response('x', { headers }))
    expect((await fetch(url)).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('cancels the body of a response to HEAD', async () => {
    let isCancelled = false
    const { url, failures } = await serve(() => {
      return new Response(new ReadableStream({ cancel: () => void (isCancelled = true) }))
    })
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
    await expect.poll(() => isCancelled).toBe(true)
    expect(failures).toEqual([])
  })

  it('responds to HEAD and with 204 without a body', async () => {
    const { url } = await serve((request) =>
      request.method === 'HEAD' ? new Response('hidden') : new Response(null, { status: 204 }),
    )
    expect(await (await fetch(url, { method: 'HEAD' })).text()).toBe('')
    expect((await fetch(url)).status).toBe(204)
  })

  it('streams, and cancels the response when the client disconnects', async () => {
    let isCancelled = false
    const endless = new ReadableStream({
      async pull(controller) {
        // Gives the client in the same process a turn.
        await new Promise((resolve) => setImmediate(resolve))
        controller.enqueue(new TextEncoder().encode('x'))
      },
      cancel: () => void (isCancelled = true),
    })
    const { url, failures } = await serve(() => new Response(endless))
    const reader = (await fetch(url)).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await expect.poll(() => isCancelled).toBe(true)
    expect(failures).toEqual([])
  })

  it('passes the full URL if a framework removed the mount path', async () => {
    const { url } = await serve(
      (request) => new Response(new URL(request.url).pathname),
      (listener) => (request, response) => {
        const mounted = Object.assign(request, { originalUrl: request.url, url: '/inner' })
        listener(mounted, response)
      },
    )
    expect(await (await fetch(`${url}/console/inner`)).text()).toBe('/console/inner')
  })

  it.each([
    ['user:password@app', '/a', 'http://app/a'],
    ['[', '/a?b=c', 'http://localhost/a?b=c'],
    ['app/x?y', '/a', 'http://app/a'],
    ['app', '//other/console', 'http://app//other/console'],
    ['app', '//user:password@other/a', 'http://app//user:password@other/a'],
    ['app', '//', 'http://app//'],
    ['app', 'http://user:password@other/a?b=c', 'http://app/a?b=c'],
    ['app', '*', 'http://app/*'],
  ])('takes the Host %j and the target %j for %s', async (host, path, expected) => {
    const { url, failures } = await serve((request) => new Response(request.url))
    const sending = sendRequest(url, { method: 'OPTIONS', path, headers: { host } }).end()
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect([await text(response), failures]).toEqual([expected, []])
  })

  it('rejects if the handler throws', async () => {
    const { url, failures } = await serve(() => {
      throw new Error('The handler is broken.')
    })
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    expect(failures).toMatchObject([{ message: 'The handler is broken.' }])
  })
})
