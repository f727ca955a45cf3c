import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from '@feed-receiver/core/node'
import { openDatabase } from '@feed-receiver/database'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture, fixtures } from '@feed-receiver/sender'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

// An embedded database is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

const secret = 'feed_whsec_for_tests_only'
const access = { token: 'a-token-for-tests-only', hash: '' }
const sender = createSender({ secret })
let app: Awaited<ReturnType<typeof startApp>>

// Creating an embedded database takes seconds.
beforeAll(async () => {
  app = await startApp()
}, 60_000)
afterAll(async () => {
  await sender.close()
  await app.stop()
})

it('stores every sample event once, however often it is delivered', async () => {
  for (const event of fixtures) {
    expect((await sender.attempt(event, { to: app.to })).status).toBe(202)
    expect((await sender.attempt(event, { to: app.to })).status).toBe(200)
  }
})

it('writes an outage once', async () => {
  const { id, data } = fixture('outage_started')
  await untilIdle(app.inbox)
  const { rows } = await app.database.query('select event_id, title from app.outage')
  expect(rows).toEqual([{ event_id: id, title: data.title }])
})

it('handles an event that failed again, without waiting for its backoff', async () => {
  const { database, inbox } = app
  const id = 'evt_that_fails_once'
  await database.query('alter table app.outage rename to outage_away')
  await sender.attempt(fixture('outage_started', { id }), { to: app.to })
  await untilIdle(inbox)
  expect(await inbox.entries.get(id)).toMatchObject({ isFailing: true })
  await database.query('alter table app.outage_away rename to outage')
  await inbox.entries.retry({ ids: [id] })
  await untilIdle(inbox)
  expect(await inbox.entries.get(id)).toMatchObject({ state: 'done' })
})

it('rejects a delivery signed with another secret', async () => {
  await using forger = createSender({ secret: `${secret}_guessed` })
  expect((await forger.attempt(fixture('model_release'), { to: app.to })).status).toBe(401)
})

it('says at / what it is', async () => {
  const { GET } = await import('../app/route')
  const response = GET()
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(await response.text()).toContain('POST /webhooks/feed')
})

it('reports its health', async () => {
  const response = await app.health()
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ ok: true, dead: { count: 0 } })
})

it('shows its console only after a login', async () => {
  const get = (path: string) => app.showConsole(new Request(new URL(path, app.to)))
  expect((await get('/console')).status).toBe(200)
  expect((await get('/console/api/overview')).status).toBe(401)
})

it.each([
  ['no signing secret', 'test', ''],
  ['a development secret in production', 'production', 'feed_whsec_dev_0123456789'],
])('does not start with %s', async (_, environment, value) => {
  vi.stubEnv('NODE_ENV', environment)
  vi.stubEnv('FEED_SIGNING_SECRET', value)
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit code ${code}`)
  })
  const { run } = await import('../feed/run')
  await expect(run()).rejects.toThrow('exit code 1')
  expect(printed).toHaveBeenCalledWith(expect.objectContaining({ code: 'bad_secret' }))
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** The routes and the worker of the app, as Next loads them, on their own database. */
async function startApp() {
  const folder = await mkdtemp(join(tmpdir(), 'feed-app-'))
  const database = openDatabase({ folder })
  const { createFeed } = await import('../feed/create-feed')
  const feed = createFeed({ database, secrets: () => [secret], access })
  globalThis.feed = feed
  const { startFeed, stopFeed } = await import('../feed/start-feed')
  await startFeed({ migrations: fileURLToPath(new URL('../sql/', import.meta.url)) })

  const { POST } = await import('../app/webhooks/feed/route')
  const { GET: health } = await import('../app/health/route')
  const { GET: showConsole } = await import('../app/console/[[...path]]/route')
  const server = createServer((request, response) => void toNodeHandler(POST)(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function stop() {
    server.close()
    await stopFeed()
    await rm(folder, { recursive: true })
  }
  const { port } = server.address() as AddressInfo
  return {
    to: `http://127.0.0.1:${port}/webhooks/feed`,
    database,
    inbox: feed.inbox,
    health,
    showConsole,
    stop,
  }
}
