/**
 * One server of the `accept` benchmarks in its own process, which prints its port. Arguments: the
 * framework; how it stores events: feed-receiver (the inbox), memory (the same app without a database), or
 * another contender; the secret; the URL of its PostgreSQL (several are shards) or its Redis; the
 * schema of the inbox.
 * For each line of input it prints its memory use, in MiB.
 */
import type { RequestListener } from 'node:http'
// Each process only loads what its contender needs, because `beside` measures memory and cold starts.
import { openContender, type OtherContenderName } from './contenders/open-contender.ts'
import type { Contender } from './contenders/contender.ts'
import { serve } from './serve.ts'

const path = '/webhooks/feed'
const [framework = '', kept = '', secret = '', url = '', schema] = process.argv.slice(2)

await serve(
  kept === 'feed-receiver' || kept === 'memory' ? await withReceiver() : await withContender(),
)
process.stdin.on('data', () => console.log(process.memoryUsage.rss() / 1_048_576))

async function withReceiver(): Promise<RequestListener> {
  const { createReceiver } = await import('@feed-receiver/core')
  const receiver = createReceiver({ secrets: [secret], inbox: await openInbox() })
  if (framework === 'express') {
    const { default: express } = await import('express')
    const { toExpress } = await import('@feed-receiver/express')
    return express().post(path, toExpress(receiver))
  }
  const { default: Fastify } = await import('fastify')
  const { toFastify } = await import('@feed-receiver/fastify')
  const app = Fastify()
  await app.register(toFastify(receiver), { path })
  await app.ready()
  return app.routing.bind(app)
}

async function openInbox() {
  if (kept === 'memory') return (await import('@feed-receiver/core/testing')).memoryInbox()
  const { createInbox } = await import('@feed-receiver/inbox')
  const { shardInbox } = await import('@feed-receiver/shards')
  const inboxes = url
    .split(' ')
    .map((database, index) =>
      createInbox({ database, instance: String(index + 1), ...(schema && { schema }) }),
    )
  const [only] = inboxes
  const inbox = only && inboxes.length === 1 ? only : shardInbox(inboxes)
  await inbox.start()
  return inbox
}

async function withContender(): Promise<RequestListener> {
  const settings = { name: kept, databaseUrl: url, redisUrl: url }
  const contender = await openContender(kept as OtherContenderName, settings)
  if (framework === 'fastify') return await onFastify(contender)
  const { contenderApp } = await import('./contenders/app.ts')
  return contenderApp({ keep: contender.keep, secrets: () => [secret] })
}

async function onFastify({ keep }: Contender): Promise<RequestListener> {
  const { default: Fastify } = await import('fastify')
  const { jsonHeaders, verifyByHand } = await import('./contenders/hand-written.ts')
  const app = Fastify({ bodyLimit: 1_048_576 })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.post<{ Body: Buffer }>(path, async (request, reply) => {
    const { status, body, event } = verifyByHand(secret, request.headers, request.body)
    if (event) await keep(event, request.body)
    return reply.code(status).headers(jsonHeaders).send(body)
  })
  await app.ready()
  return app.routing.bind(app)
}
