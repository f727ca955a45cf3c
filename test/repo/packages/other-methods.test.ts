import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { Router } from '@koa/router'
import { createReceiver, toFetch } from '@feed-receiver/core'
import { fromNode, toNodeHandler } from '@feed-receiver/core/node'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toFastify } from '@feed-receiver/fastify'
import { toKoa } from '@feed-receiver/koa'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../contract/listen.ts'

const path = '/webhooks/feed'
const readme = readFileSync(new URL('../../../packages/core/README.md', import.meta.url), 'utf8')
const receiver = createReceiver({ secrets: ['feed_whsec_other_methods'], inbox: memoryInbox() })
const receive = toFetch(receiver)

/** Every way to mount a receiver from the README of core, except Next. */
const mounts: Record<string, () => Promise<RequestListener>> = {
  '`app.post` of Express': async () => express().post(path, toExpress(receiver)),
  '`app.post` of Hono': async () =>
    toListener(new Hono().post(path, ({ req }) => receive(req.raw)).fetch),
  '`router.post` of Koa': async () => {
    const router = new Router().post(path, toKoa(receiver))
    const handle = new Koa().use(router.routes()).callback()
    return (request, response) => void handle(request, response)
  },
  '`app.all` of Express': async () => express().all(path, toExpress(receiver)),
  '`app.register` of Fastify': async () => {
    const app = Fastify()
    await app.register(toFastify(receiver), { path })
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  '`toFetch(receiver)` alone': async () => toListener(receive),
  '`fromNode` in `node:http`': async () => async (request, response) => {
    const { status, headers, body } = await receiver.receive(fromNode(request))
    response.writeHead(status, headers).end(body)
  },
}

describe('a GET of the route', () => {
  it.each(Object.entries(mounts))(
    'mounted with %s gets the response from the README',
    async (way, mount) => {
      const { port, close } = await listen(await mount())
      onTestFinished(close)
      const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`)
      const row = readme.split('\n').find((line) => line.startsWith(`| ${way} `)) ?? ''
      expect(row).toContain(`| ${status}`)
      expect(headers.get('allow')).toBe(status === 405 ? 'POST' : null)
    },
  )
})

function toListener(handle: (request: Request) => Response | Promise<Response>): RequestListener {
  const listener = toNodeHandler(async (request) => await handle(request))
  return (request, response) => void listener(request, response)
}
