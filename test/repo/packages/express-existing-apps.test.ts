import type { Receiver } from '@feed-receiver/core'
import { keepRawBody, toExpress } from '@feed-receiver/express'
import compression from 'compression'
import express5, { type Express, type NextFunction, type Request, type Response } from 'express'
import express4 from 'express-4'
import helmet from 'helmet'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { makeEvent, path } from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'
import { awkward, makeNonAsciiEvent, openApp } from './existing-app.ts'

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('%s, in an existing app', (_, express) => {
  /**
   * The receiver after some middleware of the app, and before a route and error pages of the app.
   */
  const behind = (prepare: (app: Express) => void) =>
    openApp((receiver) => {
      const app = express()
      prepare(app)
      app.post(path, toExpress(receiver))
      return listen(finish(app))
    })

  const mounted = (mount: (app: Express, receiver: Receiver) => void) =>
    openApp((receiver) => {
      const app = express()
      mount(app, receiver)
      return listen(finish(app))
    })

  describe('before the parsers', () => {
    const first = () =>
      mounted((app, receiver) => {
        app.post(path, toExpress(receiver))
        app.use(express.json(), express.urlencoded({ extended: true }))
      })

    it('works, and keeps the parsers of the other routes', async () => {
      const { deliver, post } = await first()
      expect((await deliver()).status).toBe(202)
      expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
      expect((await post('/orders', form, 'count=1')).body).toBe('{"count":"1"}')
    })

    it.each(Object.entries(awkward))('answers 202 for a body that is %s', async (__, one) => {
      const { deliver } = await first()
      expect((await deliver(...toDeliver(one))).status).toBe(202)
    })

    it('works in a Router under a mount path', async () => {
      const { deliver } = await mounted((app, receiver) => {
        const router = express.Router()
        router.post('/feed', toExpress(receiver))
        app.use('/api', router)
      })
      expect((await deliver(makeEvent(), { to: '/api/feed' })).status).toBe(202)
    })
  })

  describe('behind a parser', () => {
    it('rejects a body that express.json() has read, with the fix [R199]', async () => {
      const { deliver, inbox } = await behind((app) => app.use(express.json()))
      const { status, body } = await deliver()
      expect(status).toBe(503)
      expect(body).toContain('"code":"body_already_read"')
      expect(body).toContain('express.json({ verify: keepRawBody })')
      expect(inbox.entries.size).toBe(0)
    })

    it('keeps the raw body with express.json({ verify: keepRawBody })', async () => {
      const { deliver, inbox, post } = await behind((app) =>
        app.use(express.json({ verify: keepRawBody })),
      )
      const event = makeNonAsciiEvent()
      // Whitespace that JSON.stringify would not write.
      const bytes = Buffer.from(JSON.stringify(event, null, 3))
      expect((await deliver(bytes)).status).toBe(202)
      expect(Buffer.from(inbox.entries.get(event.id)?.body ?? [])).toEqual(bytes)
      expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
    })

    // None of these reaches the receiver, because the parser has already failed the request.
    it.each([
      ['malformed', 400],
      ['not an object', 400],
      ['charset=utf-16', 400],
      ['charset=iso-8859-1', 415],
      ['over 100 kB', 413],
    ] as const)('cannot prevent express.json() from answering %s with %i', async (name, status) => {
      const { deliver, inbox } = await behind((app) =>
        app.use(express.json({ verify: keepRawBody })),
      )
      const answer = await deliver(...toDeliver(awkward[name]))
      expect(answer).toMatchObject({ status, body: 'the error page of the app' })
      expect(inbox.quarantined).toHaveLength(0)
    })

    it('accepts over 100 kB if the limit of express.json() is raised', async () => {
      const { deliver } = await behind((app) =>
        app.use(express.json({ verify: keepRawBody, limit: '1mb' })),
      )
      expect((await deliver(awkward['over 100 kB'].body)).status).toBe(202)
    })

    it('answers 415 to a body that express.json() has decompressed', async () => {
      const { deliver } = await behind((app) => app.use(express.json({ verify: keepRawBody })))
      const headers = { 'content-encoding': 'gzip' }
      const answer = await deliver(makeEvent(), { headers, encode: gzipSync })
      expect(answer.status).toBe(415)
      expect(answer.body).toContain('"code":"content_encoding"')
    })

    it('cannot prevent express.json() from answering invalid gzip with 400', async () => {
      const { deliver } = await behind((app) => app.use(express.json({ verify: keepRawBody })))
      const answer = await deliver(makeEvent(), { headers: { 'content-encoding': 'gzip' } })
      expect(answer.status).toBe(400)
    })

    it('works behind express.raw(), whose Buffer is the exact body', async () => {
      const { deliver } = await behind((app) => app.use(path, express.raw({ type: '*/*' })))
      expect((await deliver(makeNonAsciiEvent())).status).toBe(202)
      expect((await deliver(awkward.malformed.body)).body).toContain('quarantined')
      expect((await deliver(awkward['over 100 kB'].body)).status).toBe(413)
    })

    it('rejects a body that express.text() has read', async () => {
      const { deliver } = await behind((app) => app.use(express.text({ type: '*/*' })))
      const { status, body } = await deliver()
      expect(status).toBe(503)
      expect(body).toContain('"code":"body_already_read"')
    })

    it('ignores a parser for other types', async () => {
      const { deliver, post } = await behind((app) =>
        app.use(express.urlencoded({ extended: true }), express.text()),
      )
      expect((await deliver()).status).toBe(202)
      expect((await post('/orders', form, 'count=1')).body).toBe('{"count":"1"}')
    })
  })

  describe('behind a parser that skips the path', () => {
    const leftAlone = () =>
      behind((app) => {
        const parseJson = express.json()
        app.use((request, response, next) => {
          if (request.path === path) next()
          else parseJson(request, response, next)
        })
      })

    it('works, and keeps the parsers of the other routes', async () => {
      const { deliver, post } = await leftAlone()
      expect((await deliver()).status).toBe(202)
      expect((await post('/orders', json, '{"count":1}')).body).toBe('{"count":1}')
    })

    it.each(Object.entries(awkward))('answers 202 for a body that is %s', async (__, one) => {
      const { deliver } = await leftAlone()
      expect((await deliver(...toDeliver(one))).status).toBe(202)
    })
  })

  describe('with other middleware of an app', () => {
    it.each([
      ['with default options', '1kb', null],
      ['compressing everything', 0, 'gzip'],
    ])('responds the same behind helmet and compression %s', async (__, threshold, encoding) => {
      const bare = await behind(() => {})
      const { deliver } = await behind((app) => app.use(helmet(), compression({ threshold })))
      const event = makeEvent()
      const expected = await bare.deliver(event)
      const { status, headers, body } = await deliver(event)
      expect([status, body]).toEqual([expected.status, expected.body])
      expect(headers.get('content-type')).toBe(expected.headers.get('content-type'))
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-encoding')).toBe(encoding)
    })

    it('never falls through to the error page or the 404 of the app', async () => {
      const { deliver } = await behind(() => {})
      const unsigned = { 'feed-signature': '' }
      expect((await deliver(awkward.malformed.body)).body).toContain('quarantined')
      expect((await deliver(makeEvent(), { headers: unsigned })).body).toContain('signature_')
      expect((await deliver(Buffer.alloc(1_100_000))).body).toContain('body_too_large')
      expect((await deliver(makeEvent(), { to: '/elsewhere' })).body).toBe('the 404 of the app')
    })
  })
})

function finish(app: Express): Express {
  app.post('/orders', (request, response) => void response.json(request.body))
  app.use((_: Request, response: Response) => {
    response.status(404).send('the 404 of the app')
  })
  // Express recognizes an error handler by its four parameters.
  app.use(
    (error: { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
      response.status(error.status ?? 500).send('the error page of the app')
    },
  )
  return app
}

function toDeliver(one: { body?: Uint8Array; headers?: Record<string, string> }) {
  return [one.body ?? makeEvent(), one.headers ? { headers: one.headers } : {}] as const
}
