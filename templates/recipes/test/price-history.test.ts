import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { pricesToCsv } from '../price-history/csv.ts'
import { createPriceHistory } from '../price-history/index.ts'

// An embedded database is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let folder: string
let database: Database
let inbox: Inbox
let handlers: Handlers

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'price-history-test-'))
  database = openDatabase({ folder })
  inbox = createInbox({ database })
  await inbox.start()
  handlers = await createPriceHistory({ database })
}, 60_000)
afterAll(async () => {
  await inbox.stop()
  await database.close()
  await rm(folder, { recursive: true })
})

it('writes each change with its source, and no formulas', async () => {
  const changed = fixture('pricing_changed', {
    id: 'evt_price',
    created_at: '2026-11-02T10:00:00Z',
    data: { title: '=HYPERLINK("https://evil.example")', summary: 'Now "half".' },
  })
  await inbox.acceptPage([changed], { stream: 'test', cursor: null })
  expect(await inbox.drain(handlers)).toMatchObject({ failed: 0 })
  const { provider, subject, source_url: source } = changed.data
  expect(await pricesToCsv(database)).toBe(
    'observed_at,provider,subject,title,summary,status,evidence,published_at,source_url,event_id\r\n' +
      `2026-11-02T10:00:00.000Z,${provider},${subject.key},` +
      `"'=HYPERLINK(""https://evil.example"")","Now ""half"".",confirmed,` +
      `${changed.data.evidence},${changed.data.source_published_at},${source},evt_price\r\n`,
  )
  expect(await pricesToCsv(database, { provider: 'nobody' })).toMatch(/^[\w,]+\r\n$/)
})
