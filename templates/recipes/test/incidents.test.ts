import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Chat, Message } from '../incidents/chat.ts'
import { createIncidents, isDown } from '../incidents/index.ts'

// An embedded database is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let folder: string
let database: Database
let inbox: Inbox
let handlers: Handlers
const sent: [action: string, title: string, state: Message['state']][] = []
const chat: Chat = {
  async post({ title, state }, { threadId, idempotencyKey }) {
    sent.push([threadId === null ? 'post' : 'reply', title, state])
    return idempotencyKey
  },
  async edit(_, { title, state }) {
    sent.push(['edit', title, state])
  },
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'incidents-test-'))
  database = openDatabase({ folder })
  inbox = createInbox({ database, ordered: 'subject' })
  await inbox.start()
  handlers = await createIncidents({ database, chat })
}, 60_000)
afterAll(async () => {
  await inbox.stop()
  await database.close()
  await rm(folder, { recursive: true })
})

it('posts a thread for an outage, and knows whether the provider is down', async () => {
  const started = fixture('outage_started')
  const resolved = fixture('outage_resolved')
  await handle(started)
  expect(await isDown(database, started.data.provider)).toBe(true)
  await handle(resolved)
  expect(await isDown(database, started.data.provider)).toBe(false)
  expect(sent).toEqual([
    ['post', started.data.title, 'open'],
    ['reply', resolved.data.title, 'resolved'],
    ['edit', started.data.title, 'resolved'],
  ])
})

it('posts no unconfirmed outage', async () => {
  const before = sent.length
  const data = { provider: 'rumour-labs', confirmation: 'unconfirmed' }
  await handle(fixture('outage_started', { id: 'evt_rumour', data }))
  expect(sent).toHaveLength(before)
  expect(await isDown(database, 'rumour-labs')).toBe(false)
})

async function handle(event: ReturnType<typeof fixture>): Promise<void> {
  await inbox.acceptPage([event], { stream: 'test', cursor: null })
  expect(await inbox.drain(handlers)).toMatchObject({ failed: 0 })
}
