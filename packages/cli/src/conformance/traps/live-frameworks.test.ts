import type { RequestListener } from 'node:http'
import { bodyParser } from '@koa/bodyparser'
import { createReceiver, toFetch } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toKoa } from '@feed-receiver/koa'
import express from 'express'
import express4 from 'express-4'
import Fastify from 'fastify'
import { createApp, defineEventHandler, readBody, toNodeListener } from 'h3-1'
import { Hono } from 'hono'
import { basicAuth } from 'hono/basic-auth'
import { validator } from 'hono/validator'
import Koa from 'koa'
import Koa2 from 'koa-2'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeEvent, padTo } from '../../../../../test/contract/harness.ts'
import { listen } from '../../../../../test/contract/listen.ts'
import { sendRequest, type Answer } from '../check/send-request.ts'

const secret = 'feed_whsec_livetraps0123456789abcdef'
const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox(), observe: () => {} })
const path = '/webhooks/feed'
const noJson = Buffer.from('no JSON')
const large = padTo(900_000)

/** Sends an authentic delivery, and returns its answer. */
async function deliver(listener: RequestListener, body: Uint8Array, to: string): Promise<Answer> {
  const { port, close } = await listen(listener)
  onTestFinished(close)
  const { headers } = signDelivery(body, { secret })
  const { signal } = new AbortController()
  return await sendRequest(new URL(`http://127.0.0.1:${port}${to}`), { headers, body, signal })
}

interface Case {
  trap: string | undefined
  status: number
  body?: Uint8Array
  to?: string
}

function describeTraps(framework: string, make: () => RequestListener, cases: Case[]): void {
  it.each(cases)(`${framework}: $trap, $status`, async ({ trap, status, body, to }) => {
    const answer = await deliver(
      make(),
      body ?? Buffer.from(JSON.stringify(makeEvent())),
      to ?? path,
    )
    expect({ status: answer.status, trap: answer.status && answer.trap?.name }).toEqual({
      status,
      trap,
    })
  })
}

describe('a framework of the installed version', () => {
  for (const [name, make] of [
    ['Express 5', express],
    ['Express 4', express4],
  ] as const) {
    const withParser = () => make().use(make.json()).post(path, toExpress(receiver))
    describeTraps(name, withParser, [
      { trap: 'receiver_after_parser', status: 503 },
      { trap: 'express_parser', status: 400, body: noJson },
      { trap: 'express_limit', status: 413, body: large },
      { trap: 'express_no_route', status: 404, to: '/elsewhere' },
    ])
    const unnamed = () => withParser().disable('x-powered-by').set('env', 'production')
    describeTraps(`${name} without its headers, in production`, unnamed, [
      { trap: 'receiver_after_parser', status: 503 },
      { trap: 'express_like_parser', status: 400, body: noJson },
      { trap: 'express_like_limit', status: 413, body: large },
      { trap: 'express_like_no_route', status: 404, to: '/elsewhere' },
    ])
    describeTraps(`${name} without a parser`, () => make().use(toExpress(receiver)), [
      { trap: undefined, status: 202 },
      { trap: undefined, status: 202, body: noJson },
    ])
  }

  for (const [name, Application] of [
    ['Koa 3', Koa],
    ['Koa 2', Koa2],
  ] as const) {
    const make = () => {
      const app = new Application()
      app.silent = true
      const feed = toKoa(receiver)
      app.use(bodyParser({ jsonLimit: '100kb' }))
      app.use((context, next) => (context.path === path ? feed(context, next) : next()))
      const handle = app.callback()
      const listener: RequestListener = (request, response) => void handle(request, response)
      return listener
    }
    describeTraps(name, make, [
      { trap: 'receiver_after_parser', status: 503 },
      { trap: 'koa_parser', status: 400, body: noJson },
      { trap: 'koa_limit', status: 413, body: large },
      { trap: 'koa_no_route', status: 404, to: '/elsewhere' },
    ])
  }

  const makeFastify = () => {
    const app = Fastify({ bodyLimit: 100_000 })
    const body = { type: 'object', required: ['count'] }
    app.post(path, async () => 'never parsed')
    app.post('/with-schema', { schema: { body } }, async () => 'never valid')
    return ((request, response) => {
      void app.ready(() => app.routing(request, response))
    }) satisfies RequestListener
  }
  describeTraps('Fastify 5', makeFastify, [
    { trap: 'fastify_parser', status: 400, body: noJson },
    { trap: 'fastify_limit', status: 413, body: large },
    { trap: 'fastify_schema', status: 400, to: '/with-schema' },
    { trap: 'fastify_no_route', status: 404, to: '/elsewhere' },
  ])

  const makeHono = () => {
    const app = new Hono()
    app.use('/with-login', basicAuth({ username: 'ada', password: 'of no account' }))
    app.use(
      path,
      validator('json', () => ({})),
    )
    app.post(path, (context) => toFetch(receiver)(context.req.raw))
    return toNodeHandler(async (request) => await app.fetch(request))
  }
  describeTraps('Hono 4', makeHono, [
    { trap: 'receiver_after_parser', status: 503 },
    { trap: 'hono_validator', status: 400, body: noJson },
    { trap: 'hono_no_route', status: 404, to: '/elsewhere' },
    { trap: 'login_challenge', status: 401, to: '/with-login' },
  ])

  const makeH3 = () =>
    toNodeListener(
      createApp({ onError: () => {} }).use(
        path,
        defineEventHandler(async (call) => ({ read: await readBody<unknown>(call) })),
      ),
    )
  describeTraps('h3 1', makeH3, [
    { trap: 'h3_parser', status: 400, body: noJson },
    { trap: 'h3_no_route', status: 404, to: '/elsewhere' },
  ])
})
