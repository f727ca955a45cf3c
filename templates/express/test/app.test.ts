import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture, fixtures } from '@feed-receiver/sender'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startApp } from '../src/app.ts'

// An embedded database is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

const secret = 'feed_whsec_for_tests_only'
const access = { token: 'a-token-for-tests-only', hash: '' }
const sender = createSender({ secret })
let folder: string
let database: Database
let app: Awaited<ReturnType<typeof startApp>>
let to: string

// Creating an embedded database takes seconds.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feed-app-'))
  database = openDatabase({ folder })
  app = await startApp({ database, secrets: [secret], port: 0, access })
  to = `http://127.0.0.1:${app.port}/webhooks/feed`
}, 60_000)
afterAll(async () => {
  await sender.close()
  await app.stop()
  await rm(folder, { recursive: true })
})

it('stores every sample event once, however often it is delivered', async () => {
  for (const event of fixtures) {
    expect((await sender.attempt(event, { to })).status).toBe(202)
    expect((await sender.attempt(event, { to })).status).toBe(200)
  }
})

it('writes an outage once', async () => {
  const { id, data } = fixture('outage_started')
  await untilIdle(app.inbox)
  const { rows } = await database.query('select event_id, title from app.outage')
  expect(rows).toEqual([{ event_id: id, title: data.title }])
})

it('handles an event that failed again, without waiting for its backoff', async () => {
  const id = 'evt_that_fails_once'
  await database.query('alter table app.outage rename to outage_away')
  await sender.attempt(fixture('outage_started', { id }), { to })
  await untilIdle(app.inbox)
  expect(await app.inbox.entries.get(id)).toMatchObject({ isFailing: true })
  await database.query('alter table app.outage_away rename to outage')
  await app.inbox.entries.retry({ ids: [id] })
  await untilIdle(app.inbox)
  expect(await app.inbox.entries.get(id)).toMatchObject({ state: 'done' })
})

it('rejects a delivery signed with another secret', async () => {
  await using forger = createSender({ secret: `${secret}_guessed` })
  expect((await forger.attempt(fixture('model_release'), { to })).status).toBe(401)
})

it('says at / what it is', async () => {
  const response = await fetch(new URL('/', to))
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(await response.text()).toContain('POST /webhooks/feed')
})

it('reports its health', async () => {
  const response = await fetch(new URL('/health', to))
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ ok: true, dead: { count: 0 } })
})

it('shows its console only after a login', async () => {
  for (const path of ['/console', '/console/'])
    expect((await fetch(new URL(path, to))).status).toBe(200)
  expect((await fetch(new URL('/console/api/overview', to))).status).toBe(401)
})
