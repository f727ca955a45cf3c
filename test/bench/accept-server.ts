/**
 * One server of the `accept` benchmark in its own process, which prints its port. Arguments: the
 * framework; how it stores events: ours (the inbox), memory (the same app without a database), or
 * by-hand (as in pg-boss's documentation); the secret; the URL of a PostgreSQL, or of several that
 * are shards; the schema of the inbox.
 * For each line of input it prints its memory use, in MiB.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toFastify } from '@feed-receiver/fastify'
import { createInbox, shardInbox } from '@feed-receiver/inbox'
import express from 'express'
import Fastify from 'fastify'
import { jsonHeaders, readByHand, verifyByHand } from './hand-written.ts'
import { keepByHand, type KeepEvent } from './kept-by-hand.ts'

const path = '/webhooks/feed'
const [framework = '', kept = '', secret = '', url = '', schema] = process.argv.slice(2)

const listener = kept === 'by-hand' ? await byHand(await keepByHand(url)) : await withReceiver()
const server = createServer(listener).listen(0, '127.0.0.1')
await once(server, 'listening')
console.log((server.address() as AddressInfo).port)
process.stdin.on('data', () => console.log(process.memoryUsage.rss() / 1_048_576))

async function withReceiver(): Promise<RequestListener> {
  const receiver = createReceiver({ secrets: [secret], inbox: await openInbox() })
  if (framework === 'express') return express().post(path, toExpress(receiver))
  const app = Fastify()
  await app.register(toFastify(receiver), { path })
  return await listenerOf(app)
}

async function openInbox() {
  if (kept === 'memory') return memoryInbox()
  const inboxes = url
    .split(' ')
    .map((database) => createInbox({ database, ...(schema && { schema }) }))
  const [only] = inboxes
  const inbox = only && inboxes.length === 1 ? only : shardInbox(inboxes)
  await inbox.start()
  return inbox
}

async function byHand(keep: KeepEvent): Promise<RequestListener> {
  if (framework === 'express') {
    return express().post(path, async (request, response) => {
      const body = await readByHand(request)
      const answer = verifyByHand(secret, request.headers, body)
      if (answer.event) await keep(answer.event, body)
      const length = Buffer.byteLength(answer.body)
      response.writeHead(answer.status, { ...jsonHeaders, 'content-length': length })
      response.end(answer.body)
    })
  }
  const app = Fastify({ bodyLimit: 1_048_576 })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Body: Buffer }>(path, async (request, reply) => {
    const { status, body, event } = verifyByHand(secret, request.headers, request.body)
    if (event) await keep(event, request.body)
    return reply.code(status).headers(jsonHeaders).send(body)
  })
  return await listenerOf(app)
}

async function listenerOf(app: ReturnType<typeof Fastify>): Promise<RequestListener> {
  await app.ready()
  return app.routing.bind(app)
}
