import { createServer } from 'node:http'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toFastify } from '@feed-receiver/fastify'
import { toKoa } from '@feed-receiver/koa'
import { toNext } from '@feed-receiver/next'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serve } from '../../test/serve.ts'
import { deliver, eventBuilders, fixture, testSecret, type App } from './index.ts'

const path = '/webhooks/feed'

function makeReceiver(options: Partial<Parameters<typeof createReceiver>[0]> = {}) {
  const inbox = memoryInbox()
  return { inbox, receiver: createReceiver({ secrets: [testSecret], inbox, ...options }) }
}

type Make = (receiver: ReturnType<typeof makeReceiver>['receiver']) => App | Promise<App>

describe.each<[string, Make]>([
  ['a receiver', (receiver) => receiver],
  ['an Express app', (receiver) => express().post(path, toExpress(receiver))],
  ['a Koa app', (receiver) => new Koa().use(toKoa(receiver))],
  ['a Fastify instance', (receiver) => Fastify().register(toFastify(receiver), { path })],
  ['a Next handler', (receiver) => toNext(receiver)],
  ['a Next route', (receiver) => ({ POST: toNext(receiver) })],
  ['a Hono app', (receiver) => new Hono().post(path, ({ req }) => toNext(receiver)(req.raw))],
])('to %s', (_name, make) => {
  test('stores one of three concurrent deliveries of an event; two are duplicates', async () => {
    const { inbox, receiver } = makeReceiver()
    const app = await make(receiver)
    const { outcomes, attempts, answers } = await deliver(fixture('outage_started'))
      .to(app)
      .times(3)
      .concurrently()
    const { id } = fixture('outage_started')
    expect(outcomes.map(({ eventId, result }) => [eventId, result])).toEqual(
      Array.from({ length: 3 }, () => [id, 'delivered']),
    )
    expect(attempts).toHaveLength(3)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 202])
    expect(answers).toContainEqual({ status: 202, body: { status: 'stored', id } })
    expect([...inbox.entries.keys()]).toEqual([id])
  })
})

test('delivers to the path of a URL', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(204).end())
  const { answers } = await deliver(fixture('cli_update')).to(`${url}?key=1`)
  expect(answers).toEqual([{ status: 204, body: '' }])
  await deliver(fixture('cli_update')).to(new URL(url))
  expect(arrivals.map((arrival) => arrival.path)).toEqual(['/feed?key=1', '/feed'])
})

test('delivers to a node:http handler at a custom path', async () => {
  const paths: unknown[] = []
  const app: App = createServer((request, response) => {
    paths.push(request.url)
    response.end('"thanks"')
  }).listeners('request')[0] as App
  const { answers } = await deliver(fixture('cli_update'), { path: '/feed/in' }).to(app)
  expect(answers).toEqual([{ status: 200, body: 'thanks' }])
  expect(paths).toEqual(['/feed/in'])
})

test('delivers several events in order, each several times', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(200).end())
  const make = eventBuilders()
  const events = [make.outage_started(), make.outage_resolved()]
  const { outcomes } = await deliver(events).to(url).times(2)
  const ids = arrivals.map(({ headers }) => headers['feed-event-id'])
  const expected = ['evt_outage_started_1', 'evt_outage_resolved_1'].flatMap((id) => [id, id])
  expect(ids).toEqual(expected)
  expect(outcomes.map(({ eventId }) => eventId)).toEqual(expected)
})

test('makes concurrent deliveries at the same time', async () => {
  const waiting: (() => void)[] = []
  const { url } = await serve((response) => {
    waiting.push(() => response.writeHead(200).end())
    if (waiting.length === 3) for (const answer of waiting) answer()
  })
  expect(
    (await deliver(fixture('cli_update')).to(url).times(3).concurrently()).answers,
  ).toHaveLength(3)
})

test('skips 63.5 minutes of retries', async () => {
  const { url } = await serve((response) => response.writeHead(503).end())
  const { outcomes, attempts } = await deliver(fixture('cli_update')).to(url)
  expect(outcomes).toMatchObject([{ result: 'exhausted' }])
  const first = attempts[0]?.at ?? 0
  expect(attempts.map(({ at }) => (at - first) / 1000)).toEqual([
    0, 30, 90, 210, 450, 930, 1890, 3810,
  ])
})

test('makes one attempt with once', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(503).end())
  expect((await deliver(fixture('cli_update')).to(url).once()).attempts).toHaveLength(1)
  expect(arrivals).toHaveLength(1)
})

test('answers 500 for a handler that throws', async () => {
  const handler = async (_request: Request): Promise<Response> => {
    throw new Error('no')
  }
  const { answers } = await deliver(fixture('cli_update')).to(handler).once()
  expect(answers).toEqual([{ status: 500, body: '' }])
})

test('uses the option secret, or else the environment', async () => {
  const secret = 'feed_whsec_b3RoZXI'
  const { receiver } = makeReceiver({ secrets: [secret] })
  expect((await deliver(fixture('cli_update')).to(receiver)).answers[0]?.status).toBe(401)
  const { answers } = await deliver(fixture('cli_update'), { secret }).to(receiver)
  expect(answers[0]?.status).toBe(202)
  process.env['FEED_SIGNING_SECRET'] = secret
  onTestFinished(() => void delete process.env['FEED_SIGNING_SECRET'])
  expect((await deliver(fixture('cli_update')).to(receiver)).answers[0]?.status).toBe(200)
})

test('throws for mistakes in the call', async () => {
  const wrong = deliver(fixture('cli_update'), { secret: 'nonsense' }).to('http://127.0.0.1:1')
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_secret' })
  expect(() => deliver(Buffer.from('no event'))).toThrow(
    expect.objectContaining({ code: 'invalid_event' }),
  )
  const unknown = deliver(fixture('cli_update')).to('ftp://127.0.0.1/')
  await expect(unknown).rejects.toMatchObject({ code: 'invalid_destination' })
})

test('delivers to the same app repeatedly', async () => {
  const { receiver } = makeReceiver()
  const app = express().post(path, toExpress(receiver))
  for (const expected of [202, 200, 200]) {
    const { answers } = await deliver(fixture('cli_update')).to(app)
    expect(answers[0]?.status).toBe(expected)
  }
})
