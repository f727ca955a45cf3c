import express from '@fastify/express'
import formbody from '@fastify/formbody'
import middie from '@fastify/middie'
import type { Receiver } from '@feed-receiver/core'
import { keepRawBody } from '@feed-receiver/core/node'
import { toFastify } from '@feed-receiver/fastify'
import { json as parseJson } from 'express'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { makeEvent, path } from '../../contract/harness.ts'
import { awkward, makeNonAsciiEvent, openApp } from './existing-app.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const csv = { 'content-type': 'text/csv' }

type Prepare = (app: FastifyInstance, receiver: Receiver) => Promise<unknown>

const mount: Prepare = async (app, receiver) => app.register(toFastify(receiver), { path })

describe('Fastify 5, in an existing app', () => {
  describe.each<[string, Prepare]>([
    ['before', async (app, receiver) => (await mount(app, receiver), addParsers(app))],
    ['after', async (app, receiver) => (await addParsers(app), mount(app, receiver))],
  ])('mounted %s the parsers of the app', (_, prepare) => {
    it('gets the exact bytes of every type', async () => {
      const { deliver, inbox } = await open(prepare)
      for (const type of ['application/json', form['content-type'], 'text/csv', 'text/plain', '']) {
        const event = makeNonAsciiEvent()
        const bytes = Buffer.from(JSON.stringify(event, null, 3))
        const { status } = await deliver(bytes, { headers: { 'content-type': type } })
        expect([type, status]).toEqual([type, 202])
        expect(Buffer.from(inbox.entries.get(event.id)?.body ?? [])).toEqual(bytes)
      }
    })

    it.each(Object.entries(awkward))('answers 202 for a body that is %s', async (__, one) => {
      const { deliver } = await open(prepare)
      const { body = makeEvent(), headers = {} } = one as { body?: Buffer; headers?: object }
      expect((await deliver(body, { headers: { ...headers } })).status).toBe(202)
    })

    it('keeps the parsers of the other routes', async () => {
      const { post } = await open(prepare)
      expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
      expect((await post('/orders', form, 'count=1')).body).toBe('{"count":"1"}')
      expect((await post('/orders', csv, 'count\n1')).body).toBe('{"everything else":"count\\n1"}')
    })
  })

  it('works in a plugin with a prefix', async () => {
    const { deliver } = await open(async (app, receiver) =>
      app.register(async (api) => mount(api, receiver), { prefix: '/api' }),
    )
    expect((await deliver(makeEvent(), { to: `/api${path}` })).status).toBe(202)
  })

  it('works with its own prefix', async () => {
    const { deliver } = await open(async (app, receiver) =>
      app.register(toFastify(receiver), { prefix: '/api', path }),
    )
    expect((await deliver(makeEvent(), { to: `/api${path}` })).status).toBe(202)
  })

  it('runs the hooks of the app before the body and after the response, and no others', async () => {
    const passed: string[] = []
    const { deliver } = await open(async (app, receiver) => {
      app.addHook('onRequest', async () => void passed.push('onRequest'))
      app.addHook('preParsing', async () => void passed.push('preParsing'))
      app.addHook('preValidation', async () => void passed.push('preValidation'))
      app.addHook('preHandler', async () => void passed.push('preHandler'))
      app.addHook('onSend', async () => void passed.push('onSend'))
      app.addHook('onError', async () => void passed.push('onError'))
      await mount(app, receiver)
    })
    expect((await deliver()).status).toBe(202)
    expect(passed).toEqual(['onRequest', 'onSend'])
  })

  it('keeps headers set by a hook of the app', async () => {
    const { deliver } = await open(async (app, receiver) => {
      app.addHook('onRequest', async (_, reply) => void reply.header('x-request-id', '7'))
      await mount(app, receiver)
    })
    const { headers } = await deliver()
    expect(headers.get('x-request-id')).toBe('7')
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('is not called if a hook of the app responds first', async () => {
    const { deliver, inbox } = await open(async (app, receiver) => {
      app.addHook('onRequest', async (_, reply) => reply.code(401).send('log in'))
      await mount(app, receiver)
    })
    expect(await deliver()).toMatchObject({ status: 401, body: 'log in' })
    expect(inbox.entries.size).toBe(0)
  })

  it('never falls through to the error page or the 404 of the app', async () => {
    const { deliver } = await open(mount)
    const unsigned = { 'feed-signature': '' }
    expect((await deliver(awkward.malformed.body)).body).toContain('quarantined')
    expect((await deliver(makeEvent(), { headers: unsigned })).body).toContain('signature_')
    expect((await deliver(Buffer.alloc(1_100_000))).body).toContain('body_too_large')
    expect((await deliver(makeEvent(), { to: '/elsewhere' })).body).toBe('the 404 of the app')
  })

  it('uses the limit of the receiver, not the bodyLimit of the app', async () => {
    const { deliver, post } = await open(mount, { bodyLimit: 1_000 })
    expect((await deliver(awkward['over 100 kB'].body)).status).toBe(202)
    const order = JSON.stringify({ text: 'x'.repeat(2_000) })
    expect(await post('/orders', json, order)).toMatchObject({
      status: 413,
      body: 'the error page of the app',
    })
  })

  it('is not validated by a schema that the app sets on every route', async () => {
    const { deliver, post } = await open(async (app, receiver) => {
      app.addHook('onRoute', (route) => {
        route.schema = { body: { type: 'object', required: ['tenant'] } }
      })
      await mount(app, receiver)
    })
    expect((await deliver()).status).toBe(202)
    expect((await post('/orders', json, '{"count":1}')).status).toBe(400)
  })

  it('matches one path, so a trailing slash is a 404 of the app', async () => {
    const { deliver } = await open(mount)
    expect((await deliver(makeEvent(), { to: `${path}/` })).status).toBe(404)
  })
})

type AddMiddleware = (app: FastifyInstance) => Promise<unknown>

describe.each<[string, AddMiddleware]>([
  ['@fastify/express', async (app) => app.register(express)],
  ['@fastify/middie', async (app) => app.register(middie)],
])('Fastify 5 with a body parser in %s', (_, addMiddleware) => {
  const parsed: Prepare = async (app) => {
    await addMiddleware(app)
    app.use(parseJson())
  }

  it.each<[string, Prepare]>([
    ['before', async (app, receiver) => (await parsed(app, receiver), mount(app, receiver))],
    ['after', async (app, receiver) => (await mount(app, receiver), parsed(app, receiver))],
  ])('answers 503 %s the route', async (__, prepare) => {
    const { deliver } = await open(prepare)
    const { status, body } = await deliver()
    expect([status, body]).toEqual([503, expect.stringContaining('body_already_read')])
  })

  it.each<[string, Prepare]>([
    [
      'on other paths',
      async (app) => {
        await addMiddleware(app)
        app.use('/orders', parseJson())
      },
    ],
    [
      'in a plugin of its own',
      async (app) =>
        app.register(async (shop) => {
          await addMiddleware(shop)
          shop.use(parseJson())
        }),
    ],
    [
      'that keeps the raw body',
      async (app) => {
        await addMiddleware(app)
        app.use(parseJson({ limit: '1mb', verify: keepRawBody }))
      },
    ],
  ])('works %s', async (__, prepare) => {
    const { deliver, inbox } = await open(async (app, receiver) => {
      await prepare(app, receiver)
      await mount(app, receiver)
    })
    const event = makeNonAsciiEvent()
    const bytes = Buffer.from(JSON.stringify(event, null, 3))
    expect((await deliver(bytes)).status).toBe(202)
    expect(Buffer.from(inbox.entries.get(event.id)?.body ?? [])).toEqual(bytes)
  })
})

/** An app with its own route, error page and 404. */
async function open(prepare: Prepare, options: FastifyServerOptions = {}) {
  return openApp(async (receiver) => {
    const app = Fastify({ forceCloseConnections: true, ...options })
    app.setErrorHandler<{ statusCode?: number }>((error, _, reply) =>
      reply.code(error.statusCode ?? 500).send('the error page of the app'),
    )
    app.setNotFoundHandler((_, reply) => reply.code(404).send('the 404 of the app'))
    await prepare(app, receiver)
    app.post('/orders', async (request) => request.body)
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() }
  })
}

async function addParsers(app: FastifyInstance): Promise<void> {
  await app.register(formbody)
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, text: string) => ({
    'everything else': text,
  }))
}
