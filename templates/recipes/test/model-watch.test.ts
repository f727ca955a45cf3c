import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createModelWatch, findModels } from '../model-watch/index.ts'
import { syncDeprecations } from '../model-watch/sync-deprecations.ts'

// An embedded database is slow on a busy machine.
vi.setConfig({ testTimeout: 30_000 })

let folder: string
let database: Database
let inbox: Inbox
let handlers: Handlers

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'model-watch-test-'))
  database = openDatabase({ folder })
  inbox = createInbox({ database })
  await inbox.start()
  handlers = await createModelWatch({ database })
}, 60_000)
afterAll(async () => {
  await inbox.stop()
  await database.close()
  await rm(folder, { recursive: true })
})

it('knows the latest state of a model, in whatever order events arrive', async () => {
  const about = { provider: 'northwind-ai', subject: { type: 'model', key: 'northwind-ai/gale-1' } }
  const removed = fixture('model_removed', { id: 'evt_removed', data: about })
  const released = fixture('model_release', { id: 'evt_released', data: about })
  await handle({ ...removed, created_at: '2026-11-02T10:00:00Z' })
  await handle({ ...released, created_at: '2026-11-01T10:00:00Z' })
  expect(await findModels(database, 'gale-1')).toEqual([
    {
      provider: 'northwind-ai',
      model: 'gale-1',
      state: 'removed',
      since: new Date('2026-11-02T10:00:00Z'),
      effectiveAt: null,
      replacements: [],
      sourceUrl: removed.data.source_url,
    },
  ])
})

it('ignores unconfirmed events', async () => {
  const data = { subject: { type: 'model', key: 'rumour-1' }, confirmation: 'unconfirmed' }
  await handle(fixture('model_release', { id: 'evt_rumour', data }))
  expect(await findModels(database, 'rumour-1')).toEqual([])
})

const deprecationOf = (id: string, dates: { announcedAt: string; effectiveAt?: string }) => {
  return {
    id,
    provider: 'northwind-ai',
    modelId: `${id}\0`,
    fact: 'deprecated',
    ...dates,
    replacementIds: ['gale-2\0'],
    sourceUrl: 'https://northwind-ai.example/squall-1',
  }
}

it('adds deprecations, without the zero bytes in their texts', async () => {
  await sync(deprecationOf('squall-1', { announcedAt: '2026-11-01T10:00:00Z' }))
  const [found] = await findModels(database, 'squall-1')
  expect(found).toMatchObject({ state: 'deprecated', replacements: ['gale-2'] })
})

it('leaves out dates that are none', async () => {
  const announcedAt = '2026-11-01'
  const noDates = ['Q4 2026', 'early 2027', '1', '2026-02-31', '2026-11-31T25:00Z', 'infinity']
  noDates.push('+012026-01-01T00:00:00Z', '0000-01-01')
  await sync(
    deprecationOf('no-announcement', { announcedAt: 'soon' }),
    ...noDates.map((effectiveAt) =>
      deprecationOf(`until ${effectiveAt}`, { announcedAt, effectiveAt }),
    ),
    deprecationOf('last', { announcedAt, effectiveAt: '2027-01-01' }),
  )
  expect(await findModels(database, 'no-announcement')).toEqual([])
  for (const text of noDates) {
    expect(await findModels(database, `until ${text}`)).toMatchObject([{ effectiveAt: null }])
  }
  expect(await findModels(database, 'last')).toMatchObject([
    { since: new Date(announcedAt), effectiveAt: new Date('2027-01-01') },
  ])
})

async function sync(...deprecations: ReturnType<typeof deprecationOf>[]): Promise<void> {
  await syncDeprecations(database, {
    async *deprecations() {
      yield* deprecations
    },
  })
}

async function handle(event: ReturnType<typeof fixture>): Promise<void> {
  await inbox.acceptPage([event], { stream: 'test', cursor: null })
  expect(await inbox.drain(handlers)).toMatchObject({ failed: 0 })
}
