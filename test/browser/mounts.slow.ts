import { readdirSync, readFileSync } from 'node:fs'
import { request as forward, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createConsole } from '@feed-receiver/console'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import express from 'express'
import Fastify, { type onRequestAsyncHookHandler } from 'fastify'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent } from '../contract/harness.ts'
import { useDatabase } from '../support/databases.ts'
import { listenerOf, openScreen, serve, serveConsole, token, useBrowser } from './console-page.ts'

describe('the page of the console', () => {
  const browser = useBrowser()
  const database = useDatabase('pglite')
  let inbox: Inbox
  const makeConsole = () => createConsole({ inbox, token, readOnly: false })

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  const mounts: [string, () => Promise<string>][] = [
    ['at the root', () => serveConsole({ inbox, readOnly: false }, '/')],
    ['under a path', () => serveConsole({ inbox, readOnly: false }, '/a/b/console/')],
    ['under /api', () => serveConsole({ inbox, readOnly: false }, '/api/console')],
    ['under a path without a slash', () => serveConsole({ inbox, readOnly: false }, '/a/console')],
    ['in Express', () => serve(express().use('/ops', listenerOf(makeConsole())), '/ops')],
    ['in Koa', serveInKoa],
    ['in Fastify', serveInFastify],
    ['behind a proxy that strips a prefix', () => serveBehindProxy('/team/ops/')],
  ]
  it.each(mounts)('shows data and runs actions %s', async (_, mount) => {
    const event = makeEvent()
    await inbox.accept({ ...deliveryOf(event), doubt: 'id_mismatch' })
    const page = await openScreen(browser(), await mount(), '/quarantine')
    await page.getByRole('link', { name: 'Two ids' }).first().click()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
    await page.getByText('Released. Its event is stored.').waitFor()
    expect((await inbox.entries.get(event.id))?.state).toBe('received')
    await page.reload()
    await page.locator('.state-released').waitFor()
  })

  it('loads less than 30 kB of compressed script', async () => {
    const folder = new URL('../../packages/console/dist/page/assets/', import.meta.url)
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const sizes = scripts.map((name) => gzipSync(readFileSync(new URL(name, folder))).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000)
  })

  async function serveInKoa(): Promise<string> {
    const handle = toNodeHandler(makeConsole())
    const app = new Koa().use(async (context) => {
      context.respond = false
      await handle(context.req, context.res)
    })
    const listener = app.callback()
    return await serve((request, response) => void listener(request, response), '/ops/')
  }

  async function serveInFastify(): Promise<string> {
    const handle = toNodeHandler(makeConsole())
    const app = Fastify()
    // Before the parsers: the console reads bodies itself.
    const onRequest: onRequestAsyncHookHandler = async (request, reply) => {
      reply.hijack()
      await handle(request.raw, reply.raw)
    }
    app.all('/ops/*', { onRequest }, () => undefined)
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    return `${address}/ops/`
  }

  async function serveBehindProxy(prefix: string): Promise<string> {
    const inside = new URL(await serveConsole({ inbox, readOnly: false }, '/'))
    const proxy: RequestListener = (request, response) => {
      const { method, headers, url = '' } = request
      const path = url.replace(prefix, '/')
      const forwarded = { 'x-forwarded-host': headers.host, 'x-forwarded-proto': 'http' }
      const options = { method, headers: { ...headers, ...forwarded, host: inside.host } }
      const sent = forward(new URL(path, inside), options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      sent.on('error', () => response.destroy())
      request.pipe(sent)
    }
    return await serve(proxy, prefix)
  }
})
