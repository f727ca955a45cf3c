import { toFetch, type Receiver } from '@feed-receiver/core'
import { createReceiver as createWebReceiver } from '@feed-receiver/core/web'
import { toNodeHandler } from '@feed-receiver/core/node'
import { toNext } from '@feed-receiver/next'
import { createRequestListener } from '@mjackson/node-fetch-server'
import { createApp, fromWebHandler, toNodeListener } from 'h3-1'
import { Hono } from 'hono'
import { describe } from 'vitest'
import { path, setupSocket, type Mounted, type Serve } from './harness.ts'
import { hostileBodyCases } from './hostile-bodies.ts'
import { listen } from './listen.ts'
import { describeContract, describeHandlerContract } from './suite.ts'

type FetchHandler = (request: Request) => Response | Promise<Response>

const serveFetch = (receiver: Receiver) => listen(toListener(toFetch(receiver)))

// Every adapter calls one of these two receivers, so all vectors are sent to them.
describeContract(
  'a fetch handler in node:http',
  Object.assign(serveFetch, { vectors: 'all' as const }),
)
describeContract(
  'the receiver of @feed-receiver/core/web',
  Object.assign((receiver: Receiver) => serveFetch(receiver), {
    createReceiver: createWebReceiver,
    vectors: 'all' as const,
  }),
)
describeContract('Hono', (receiver) => {
  const handle = toFetch(receiver)
  const app = new Hono().all(path, (context) => handle(context.req.raw))
  return listen(toListener((request) => app.fetch(request)))
})

describeHandlerContract('a direct call of a Next route handler', async (receiver: Receiver) =>
  called(toNext(receiver)),
)
describeHandlerContract('request() of Hono', async (receiver) => {
  const handle = toFetch(receiver)
  return called((request) =>
    new Hono().all(path, (context) => handle(context.req.raw)).fetch(request),
  )
})

// Both continue to write to a cancelled body, and the error would end the process.
describe('h3 1', () => {
  const serve: Serve = (receiver) =>
    listen(toNodeListener(createApp().use(path, fromWebHandler(toFetch(receiver)))))
  hostileBodyCases((limits) => setupSocket(serve, limits))
})
describe('node-fetch-server', () => {
  const serve: Serve = (receiver) => listen(createRequestListener(toFetch(receiver)))
  hostileBodyCases((limits) => setupSocket(serve, limits))
})

function toListener(handler: FetchHandler) {
  const handle = toNodeHandler(handler)
  return (...args: Parameters<typeof handle>) => void handle(...args)
}

function called(handler: FetchHandler): Mounted {
  return {
    async send({ method = 'POST', headers, body }) {
      const response = await handler(
        new Request(`https://receiver.example${path}`, {
          method,
          headers,
          ...(body && { body: new Uint8Array(body) }),
        }),
      )
      const text = method === 'HEAD' ? '' : await response.text()
      return { status: response.status, headers: Object.fromEntries(response.headers), body: text }
    },
    close: async () => {},
  }
}
