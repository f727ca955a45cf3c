import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import { toKoa } from '@feed-receiver/koa'
import { koaBody } from 'koa-body'
import Koa3, { type Middleware } from 'koa'
import Koa2 from 'koa-2'
import { describe, expect, it } from 'vitest'
import { makeEvent, path } from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'
import { awkward, makeNonAsciiEvent, openApp } from './existing-app.ts'

const json = { 'content-type': 'application/json' }

const parsers: [string, () => Middleware][] = [
  ['@koa/bodyparser', () => bodyParser()],
  ['koa-body', () => koaBody()],
]

describe.each([
  ['Koa 3', Koa3],
  ['Koa 2', Koa2],
])('%s, in an existing app', (_, Koa) => {
  /** An app with an error handler first, then the given middleware and routes. */
  async function open(middleware: (receive: Middleware) => Middleware[]) {
    const errors: unknown[] = []
    const opened = await openApp((receiver) => {
      const app = new Koa()
      app.on('error', (error) => errors.push(error))
      for (const one of [errorPage(errors), ...middleware(toKoa(receiver)), orders]) app.use(one)
      const handle = app.callback()
      return listen((request, response) => void handle(request, response))
    })
    return { ...opened, errors }
  }

  describe.each(parsers)('with %s', (__, makeParser) => {
    it('works before it, and keeps the parser of the other routes', async () => {
      const { deliver, post, inbox } = await open((receive) => [route(receive), makeParser()])
      const event = makeNonAsciiEvent()
      const bytes = Buffer.from(JSON.stringify(event, null, 3))
      expect((await deliver(bytes)).status).toBe(202)
      expect(Buffer.from(inbox.entries.get(event.id)?.body ?? [])).toEqual(bytes)
      expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
    })

    it('rejects a body that it has read, with the fix', async () => {
      const { deliver, inbox, errors } = await open((receive) => [makeParser(), route(receive)])
      const { status, body } = await deliver()
      expect(status).toBe(503)
      expect(body).toContain('"code":"body_already_read"')
      expect(body).toContain('Mount the receiver before every body parser, or exclude its path')
      expect(inbox.entries.size).toBe(0)
      expect(errors).toEqual([])
    })

    // The parser throws before the receiver is called.
    it.each(['malformed', 'not an object'] as const)(
      'cannot prevent it from answering %s with 400',
      async (name) => {
        const { deliver, inbox } = await open((receive) => [makeParser(), route(receive)])
        const answer = await deliver(awkward[name].body)
        expect(answer).toMatchObject({ status: 400, body: 'the error page of the app' })
        expect(inbox.quarantined).toHaveLength(0)
      },
    )

    it('works behind it if the app excludes the path', async () => {
      const { deliver, post } = await open((receive) => [skipping(makeParser()), route(receive)])
      expect((await deliver()).status).toBe(202)
      expect((await deliver(awkward.malformed.body)).body).toContain('quarantined')
      expect((await deliver(awkward['over 100 kB'].body)).status).toBe(202)
      expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
    })
  })

  const disable: Middleware = (context, next) => {
    if (context.path === path) context['disableBodyParser'] = true
    return next()
  }

  it('works behind @koa/bodyparser with disableBodyParser', async () => {
    const { deliver, post } = await open((receive) => [disable, bodyParser(), route(receive)])
    expect((await deliver()).status).toBe(202)
    expect((await deliver(awkward.malformed.body)).body).toContain('quarantined')
    expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
  })

  it('rejects behind koa-body, which does not support disableBodyParser', async () => {
    const { deliver } = await open((receive) => [disable, koaBody(), route(receive)])
    expect((await deliver()).body).toContain('"code":"body_already_read"')
  })

  // Their raw body is text instead of the signed bytes.
  it.each([
    ['patchNode of @koa/bodyparser', () => bodyParser({ patchNode: true })],
    ['includeUnparsed of koa-body', () => koaBody({ patchNode: true, includeUnparsed: true })],
  ])('rejects behind %s', async (__, makeParser) => {
    const { deliver } = await open((receive) => [makeParser(), route(receive)])
    expect((await deliver()).body).toContain('"code":"body_already_read"')
  })

  it('works in nested routers with prefixes', async () => {
    const { deliver } = await open((receive) => {
      const inner = new Router({ prefix: '/webhooks' }).post('/feed', receive)
      return [routesOf(new Router({ prefix: '/api' }).use(inner.routes()))]
    })
    expect((await deliver(makeEvent(), { to: '/api/webhooks/feed' })).status).toBe(202)
  })

  it('never throws into the app, and never causes its error event', async () => {
    const { deliver, errors } = await open((receive) => [route(receive)])
    const unsigned = { 'feed-signature': '' }
    expect((await deliver(awkward.malformed.body)).body).toContain('quarantined')
    expect((await deliver(makeEvent(), { headers: unsigned })).body).toContain('signature_')
    expect((await deliver(Buffer.alloc(1_100_000))).body).toContain('body_too_large')
    expect(errors).toEqual([])
  })
})

function errorPage(errors: unknown[]): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      errors.push(error)
      context.status = error instanceof Error && 'status' in error ? Number(error.status) : 500
      context.body = 'the error page of the app'
    }
  }
}

function route(receive: Middleware): Middleware {
  return routesOf(new Router().post(path, receive))
}

// Its type needs a context that only the router creates.
function routesOf(router: Router): Middleware {
  return router.routes() as unknown as Middleware
}

function skipping(parse: Middleware): Middleware {
  return (context, next) => (context.path === path ? next() : parse(context, next))
}

const orders: Middleware = (context) => {
  context.body = context.request.body
}
