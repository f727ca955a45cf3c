import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { openDatabase } from '../index.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feed-receiver-template-'))
})
beforeEach(() => void vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache')))

afterAll(() => rm(folder, { recursive: true }))

it('caches a copy of the first database, and creates others from it', async () => {
  await useDatabase('first')
  const kept = readdirSync(join(folder, 'cache/feed-receiver'))
  expect(kept).toEqual([expect.stringMatching(/^pglite-\d+\.\d+\.\d+$/)])

  await writeFile(join(folder, 'cache/feed-receiver', kept[0] ?? '', 'marker'), '')
  await useDatabase('second')
  expect(existsSync(join(folder, 'second/data/marker'))).toBe(true)
}, 120_000)

it('creates a database from scratch if the cache is not writable', async () => {
  vi.stubEnv('XDG_CACHE_HOME', '/dev/null/cache')
  await useDatabase('without')
  expect(existsSync(join(folder, 'without/data/PG_VERSION'))).toBe(true)
}, 120_000)

async function useDatabase(name: string): Promise<void> {
  await using database = openDatabase({ folder: join(folder, name) })
  expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  expect(existsSync(join(folder, name, 'data.unfinished'))).toBe(false)
}
