import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedEvent } from '@feed-receiver/core'
import { openDatabase, type Database } from '@feed-receiver/database'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startApp } from './app.ts'

const secret = 'feed_whsec_for_tests_only'
const sender = createSender({ secret })
let folder: string
let database: Database
let app: Awaited<ReturnType<typeof startApp>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handlers-test-'))
  database = openDatabase({ folder })
  app = await startApp({ database, secrets: [secret], port: 0 })
})
beforeEach(() => database.query('delete from page'))
afterAll(async () => {
  await sender.close()
  await app.stop()
  await rm(folder, { recursive: true })
})

// #region test
it('pages once for an outage, however often it is delivered', async () => {
  const outage = fixture('outage_started', { id: 'evt_outage' })
  expect(await deliver(outage)).toBe(202)
  expect(await deliver(outage)).toBe(200)
  await untilIdle(app.inbox)
  expect(await deliver(outage)).toBe(200)
  await untilIdle(app.inbox)
  expect(await pages()).toEqual(['evt_outage'])
})
// #endregion

it('does not page for unconfirmed events', async () => {
  const rumour = { id: 'evt_rumour', data: { confirmation: 'unconfirmed' } }
  expect(await deliver(fixture('outage_started', rumour))).toBe(202)
  await untilIdle(app.inbox)
  expect(await pages()).toEqual([])
})

async function deliver(event: FeedEvent) {
  const { port } = app.server.address() as AddressInfo
  const { status } = await sender.attempt(event, { to: `http://127.0.0.1:${port}/webhooks/feed` })
  return status
}

async function pages() {
  const { rows } = await database.query<{ event_id: string }>('select event_id from page')
  return rows.map((row) => row.event_id)
}
