import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createDigest, sendDigest, type Digest } from '../digest/index.ts'

// An embedded database is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let folder: string
let database: Database
let inbox: Inbox
let digest: Digest
const sent: { markdown: string; idempotencyKey: string }[] = []
const send = async (mail: (typeof sent)[number]) => void sent.push(mail)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'digest-test-'))
  database = openDatabase({ folder })
  inbox = createInbox({ database })
  await inbox.start()
  digest = await createDigest({ database, send })
}, 60_000)
afterAll(async () => {
  await digest.stop()
  await inbox.stop()
  await database.close()
  await rm(folder, { recursive: true })
})

it('sends each change once, with its source', async () => {
  const released = fixture('model_release')
  await inbox.acceptPage([released], { stream: 'test', cursor: null })
  expect(await inbox.drain(digest.handlers)).toMatchObject({ failed: 0 })
  await sendDigest(database, send)
  await sendDigest(database, send)
  expect(sent).toHaveLength(1)
  expect(sent[0]?.markdown).toContain(`](<${released.data.source_url}>)`)
})
