/**
 * One server of the `receive` benchmark in its own process, which prints its port. Arguments: the
 * framework, and the handler: feed-receiver, by-hand (the minimum that is safe), read-only, or a library with
 * its own signature.
 */
import type { RequestListener } from 'node:http'
import { createReceiver } from '@feed-receiver/core'
import { fromNode, toNodeHandler } from '@feed-receiver/core/node'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toFastify } from '@feed-receiver/fastify'
import { toKoa } from '@feed-receiver/koa'
import { toNext } from '@feed-receiver/next'
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { Webhook } from 'svix'
import { jsonHeaders, readByHand, verifyByHand, type Answer } from './contenders/hand-written.ts'
import { serve } from './serve.ts'

const path = '/webhooks/feed'
const [framework = '', handler = '', secret = ''] = process.argv.slice(2)
const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
const storedByHand = new Map<string, Buffer>()

const servers: Record<string, Record<string, () => RequestListener | Promise<RequestListener>>> = {
  node: {
    'feed-receiver': () => async (request, response) => {
      const { status, headers, body } = await receiver.receive(fromNode(request))
      response.writeHead(status, headers).end(body)
    },
    'by-hand': () => async (request, response) => {
      const answer = receiveByHand(request.headers, await readByHand(request))
      const length = Buffer.byteLength(answer.body)
      response
        .writeHead(answer.status, { ...jsonHeaders, 'content-length': length })
        .end(answer.body)
    },
    // As in its README.
    octokit: () => {
      const webhooks = new Webhooks({ secret })
      webhooks.on('push', () => {})
      const handle = createNodeMiddleware(webhooks, { path })
      return (request, response) => void handle(request, response)
    },
  },
  express: {
    'feed-receiver': () => express().post(path, toExpress(receiver)),
    // As in its documentation.
    svix: () => {
      const webhook = new Webhook(Buffer.from(secret).toString('base64'))
      return express().post(
        path,
        express.raw({ type: 'application/json' }),
        (request, response) => {
          webhook.verify(request.body as Buffer, request.headers as Record<string, string>)
          response.json({})
        },
      )
    },
    'by-hand': () =>
      express().post(path, async (request, response) => {
        const body = await readByHand(request)
        const answer = receiveByHand(request.headers, body)
        const length = Buffer.byteLength(answer.body)
        response
          .writeHead(answer.status, { ...jsonHeaders, 'content-length': length })
          .end(answer.body)
      }),
    'read-only': () =>
      express().post(path, async (request, response) => {
        await readByHand(request)
        response.writeHead(204).end()
      }),
  },
  koa: {
    'feed-receiver': () => koa(new Koa().use(toKoa(receiver))),
    'by-hand': () =>
      koa(
        new Koa().use(async (context) => {
          const body = await readByHand(context.req)
          const answer = receiveByHand(context.req.headers, body)
          context.status = answer.status
          context.set(jsonHeaders)
          context.body = answer.body
        }),
      ),
    'read-only': () =>
      koa(
        new Koa().use(async (context) => {
          await readByHand(context.req)
          context.status = 204
        }),
      ),
  },
  fastify: {
    'feed-receiver': async () => {
      const app = Fastify()
      await app.register(toFastify(receiver), { path })
      return fastify(app)
    },
    'by-hand': () => {
      const app = Fastify({ bodyLimit: 1_048_576 })
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      )
      app.post<{ Body: Buffer }>(path, async (request, reply) => {
        const { status, body } = receiveByHand(request.headers, request.body)
        return reply.code(status).headers(jsonHeaders).send(body)
      })
      return fastify(app)
    },
    'read-only': () => {
      const app = Fastify({ bodyLimit: 1_048_576 })
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      )
      app.post(path, async (_request, reply) => reply.code(204).send())
      return fastify(app)
    },
  },
  next: {
    'feed-receiver': () => routeHandler(toNext(receiver)),
    'by-hand': () =>
      routeHandler(async (request) => {
        const body = Buffer.from(await request.arrayBuffer())
        const signature = request.headers.get('feed-signature') ?? undefined
        const answer = receiveByHand({ 'feed-signature': signature }, body)
        return new Response(answer.body, { status: answer.status, headers: jsonHeaders })
      }),
    'read-only': () =>
      routeHandler(async (request) => {
        await request.arrayBuffer()
        return new Response(null, { status: 204 })
      }),
  },
}

/** Stores each event once, as the memory inbox does; a copy of its body, as a database would. */
function receiveByHand(headers: Parameters<typeof verifyByHand>[1], body: Buffer): Answer {
  const answer = verifyByHand(secret, headers, body)
  const id = answer.event?.id
  if (id !== undefined && !storedByHand.has(id)) storedByHand.set(id, Buffer.from(body))
  return answer
}

const listener = await servers[framework]?.[handler]?.()
if (!listener) throw new Error(`There is no ${handler} for ${framework}.`)
await serve(listener)

function koa(app: Koa): RequestListener {
  const handle = app.callback()
  return (request, response) => void handle(request, response)
}

async function fastify(app: ReturnType<typeof Fastify>): Promise<RequestListener> {
  await app.ready()
  return app.routing.bind(app)
}

// Called like by a server, but without the rest of Next, which would only blur the difference.
function routeHandler(handle: (request: Request) => Promise<Response>): RequestListener {
  const listen = toNodeHandler(handle)
  return (request, response) => void listen(request, response).catch(() => response.destroy())
}
process.once('SIGINT', () => process.exit(0))
