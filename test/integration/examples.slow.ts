import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fingerprintOf } from '@feed-receiver/core'
import { toFeedEvent } from '@feed-receiver/client'
import { fixture } from '@feed-receiver/sender'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeEvent } from '../../packages/client/test/make-event.ts'
import { serveFeed } from '../../packages/client/test/serve-feed.ts'
import { startProgram } from '../support/start-program.ts'
import { consoleClient } from '../support/console-client.ts'
import { createTarget, databaseKinds } from '../support/databases.ts'
import { makeFolder, makeUsedFolder, startExample } from './start-example.ts'

const secret = 'feed_whsec_examples_0123456789abcdef'
const newSecret = 'feed_whsec_examples_fedcba9876543210'
const outage = fixture('outage_started')
const handled = `Outage: ${outage.data.title} (${outage.data.source_url})`

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const order = { path: '/orders', type: json, body: '{"count":2}', answer: { ordered: 2 } }
const subscription = {
  path: '/subscribe',
  type: form,
  body: 'email=a%40b.example',
  answer: { subscribed: 'a@b.example' },
}

describe('the example', { timeout: 180_000 }, () => {
  it.each([
    { name: 'express-app' },
    { name: 'existing-express', other: order },
    { name: 'koa-app', other: order },
    { name: 'fastify-formbody', other: subscription },
    { name: 'hono-app', other: order },
  ])('$name receives, handles and stops', async ({ name, other }) => {
    // One of them creates its database itself, like every example at its first start.
    const folder = await (name === 'express-app' ? makeFolder() : makeUsedFolder())
    const app = await startExample(`${name}/app.ts`, secret, folder)

    expect(await app.deliver(outage, newSecret)).toBe(401)
    expect(await app.deliver(outage)).toBe(202)
    expect(await app.nextLine()).toBe(handled)
    expect(await app.deliver(outage)).toBe(200)
    if (other) {
      const response = await app.post(other.path, other.type, other.body)
      expect(await response.json()).toEqual(other.answer)
    }
    expect(await app.stop()).toBe(0)
  })

  it('console-app shows its inbox to a client with the token', async () => {
    process.env.FEED_CONSOLE_TOKEN = 'examples-console-0123456789'
    const app = await startExample('console-app/app.ts', secret, await makeUsedFolder())
    expect(await app.deliver(outage)).toBe(202)
    const url = new URL(`${app.origin}/console/`)
    expect(await (await fetch(url)).text()).toContain('<title>Inbox</title>')
    const client = consoleClient(url)
    expect((await client.get('entries')).status).toBe(401)
    await client.login('examples-console-0123456789')
    expect((await client.get('entries')).body).toMatchObject({ entries: [{ eventId: outage.id }] })
    expect(await app.nextLine()).toBe(handled)
    expect(await app.stop()).toBe(0)
  })

  it.each(['drizzle-app', 'kysely-app'])(
    '%s writes in the transaction of its ORM',
    async (name) => {
      const { target, drop } = await createTarget('postgres')
      if (typeof target !== 'string') throw new Error('It is a URL.')
      const app = await startExample(`${name}/app.ts`, secret, await makeFolder(), target)
      expect(await app.deliver(outage)).toBe(202)
      const pages = async () => (await fetch(`${app.origin}/pages`)).json()
      await expect.poll(pages).toHaveLength(1)
      expect(JSON.stringify(await pages())).toContain(outage.data.title)
      expect(await app.stop()).toBe(0)
      await drop()
    },
  )

  it('webhook-and-poller stores an event once from push and pull', async () => {
    const feed = await serveFeed()
    const pulled = makeEvent(1, { title: 'Only by pull' })
    feed.publish(pulled)
    Object.assign(process.env, { FEED_URL: feed.baseUrl, FEED_API_KEY: 'feed_live_good' })
    const app = await startExample('webhook-and-poller/app.ts', secret, await makeUsedFolder())
    expect(await app.nextLine()).toBe('new by pull: Only by pull')
    expect(await app.deliver(outage)).toBe(202)
    expect(await app.nextLine()).toBe(`new by push: ${outage.data.title}`)
    const { pull: _pull, ...pushed } = toFeedEvent(pulled)
    expect(await app.deliver(pushed)).toBe(200)
    expect(await (await fetch(`${app.origin}/gaps`)).json()).toMatchObject({ probablePause: null })
    expect(await app.stop()).toBe(0)
  })

  it('outage-recovery recovers the events that push lost', async () => {
    const program = new URL('../../examples/outage-recovery/story.ts', import.meta.url)
    const story = startProgram(program, [], { cwd: await makeFolder() })
    const lines: string[] = []
    for (let at = 0; at < 12; at += 1) lines.push(await story.nextLine())
    expect(lines[2]).toBe(
      '12:00  10 events were published. Retries are exhausted for 6; 4 are still retried.',
    )
    expect(lines[4]).toBe('14:00  Push never delivered 6 of 13 events:')
    expect(lines[11]).toBe('14:00  All 13 events were handled, each once.')
    expect(await story.ended).toBe(0)
  })

  it.each(databaseKinds)('fan-out runs each job once on %s', async (kind) => {
    delete process.env.DATABASE_URL
    const { target, drop } = await createTarget(kind)
    if (typeof target === 'string') process.env.DATABASE_URL = target
    const program = new URL('../../examples/fan-out/story.ts', import.meta.url)
    const story = startProgram(program, [], { cwd: await makeFolder() })
    const lines: string[] = []
    for (let at = 0; at < 9; at += 1) lines.push(await story.nextLine())
    expect(lines[0]).toBe('Both handlers failed after queueing their jobs: 0 jobs are queued.')
    expect(lines[1]).toBe('After a retry, both events are done: 8 jobs are queued.')
    expect(lines[2]).toMatch(/^Slack rejects "Outage: .*"\. Meanwhile, 2 reports were written\.$/)
    expect(lines[8]).toBe('Every job was done once.')
    expect(await story.ended).toBe(0)
    delete process.env.DATABASE_URL
    await drop()
  })

  it('fan-out runs its jobs as an app', async () => {
    const app = await startExample('fan-out/app.ts', secret, await makeUsedFolder())
    expect(await app.deliver(outage)).toBe(202)
    expect(await app.nextLine()).toBe(`Slack: Outage: ${outage.data.title}`)
    expect(await app.stop()).toBe(0)
  })

  it('fan-out lets no title mention everybody in Slack', async () => {
    const slack = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void slack.close())
    await once(slack, 'listening')
    const posted = once(slack, 'request')
    const { port } = slack.address() as AddressInfo
    vi.stubEnv('SLACK_WEBHOOK_URL', `http://127.0.0.1:${port}`)
    const app = await startExample('fan-out/app.ts', secret, await makeUsedFolder())
    const title = '<!channel> & more'
    expect(await app.deliver(fixture('outage_started', { data: { title } }))).toBe(202)
    const [sent, answer] = (await posted) as [IncomingMessage, ServerResponse]
    expect(JSON.parse(await text(sent))).toEqual({ text: 'Outage: &lt;!channel&gt; &amp; more' })
    answer.end()
    expect(await app.stop()).toBe(0)
  })

  it('deliver-event delivers to another example', async () => {
    const app = await startExample('verify-only/app.ts', secret, await makeFolder())
    const program = new URL('../../examples/deliver-event/deliver.ts', import.meta.url)
    const sending = startProgram(program, ['model_release', `${app.origin}/webhooks/feed`], {
      env: { ...process.env, FEED_SIGNING_SECRET: secret },
    })
    expect(await sending.nextLine()).toContain('1 202 accepted')
    expect(await sending.nextLine()).toBe('delivered')
    expect(await sending.ended).toBe(0)
    expect(await app.deliver(fixture('model_release'))).toBe(200)
    expect(await app.stop()).toBe(0)
  })

  it('hono-app survives a request with an invalid Host', async () => {
    const app = await startExample('hono-app/app.ts', secret, await makeUsedFolder())
    const [answer] = await once(request(app.origin, { headers: { host: '[' } }).end(), 'response')
    expect(answer.statusCode).toBe(404)
    expect(await app.deliver(outage)).toBe(202)
    expect(await app.stop()).toBe(0)
  })

  it('verify-only detects duplicates after a restart', async () => {
    const folder = await makeFolder()
    const first = await startExample('verify-only/app.ts', secret, folder)
    expect(await first.deliver(outage, newSecret)).toBe(401)
    expect(await first.deliver(outage)).toBe(202)
    expect(await first.stop()).toBe(0)

    const second = await startExample('verify-only/app.ts', secret, folder)
    expect(await second.deliver(outage)).toBe(200)
    expect(await second.deliver(fixture('model_release'))).toBe(202)
    expect(await second.stop()).toBe(0)
  })

  it('secret-rotation accepts a new secret without a restart, and names the signing secret', async () => {
    const folder = await makeUsedFolder()
    const keepSecrets = (...secrets: string[]) =>
      writeFile(join(folder, 'secrets.txt'), `${secrets.join('\n')}\n`)
    await keepSecrets(secret)
    const app = await startExample('secret-rotation/app.ts', secret, folder)
    const lineWith = async (part: string) => {
      for (;;) {
        const line = await app.nextLine()
        if (line.includes(part)) return line
      }
    }

    expect(await app.deliver(outage)).toBe(202)
    expect(await lineWith(fingerprintOf(secret))).toContain('line 1 of secrets.txt')
    await keepSecrets(newSecret, secret)
    const release = fixture('model_release')
    // The provider is called at most once a second.
    await expect.poll(() => app.deliver(release, newSecret), { interval: 250 }).toBe(202)
    expect(await lineWith(fingerprintOf(newSecret))).toContain('line 1 of secrets.txt')
    expect(await app.deliver(release)).toBe(200)
    expect(await lineWith(fingerprintOf(secret))).toContain('line 2 of secrets.txt')
    expect(await app.stop()).toBe(0)
  })

  it('test-your-handlers starts and stops as an app', async () => {
    const app = await startExample('test-your-handlers/main.ts', secret, await makeUsedFolder())
    expect(await app.deliver(outage)).toBe(202)
    expect(await app.deliver(outage)).toBe(200)
    expect(await app.stop()).toBe(0)
  })
})
