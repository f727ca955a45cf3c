import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startProgram } from '../../../../test/support/start-program.ts'
import { openDatabase } from '../index.ts'

vi.setConfig({ testTimeout: 120_000 })

const program = new URL('../../../../test/support/use-database.ts', import.meta.url)
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feed-receiver-template-'))
})

afterAll(() => rm(folder, { recursive: true }))

it('caches a copy of the first database, and creates others from it', async () => {
  const cache = join(folder, 'cache')
  await createWith(cache, 'first')
  const kept = readdirSync(join(cache, 'feed-receiver'))
  expect(kept).toEqual([expect.stringMatching(/^pglite-\d+\.\d+\.\d+$/)])

  await writeFile(join(cache, 'feed-receiver', kept[0] ?? '', 'marker'), '')
  // What an interrupted first start leaves.
  const unfinished = join(folder, 'second/data.unfinished')
  await mkdir(unfinished, { recursive: true })
  await writeFile(join(unfinished, 'PG_VERSION'), '18\n')
  vi.stubEnv('XDG_CACHE_HOME', cache)
  await using database = openDatabase({ folder: join(folder, 'second') })
  expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  expect(existsSync(join(folder, 'second/data/marker'))).toBe(true)
  expect(existsSync(unfinished)).toBe(false)
  // The files of PGlite are open to all users, and their folder is not.
  expect(statSync(join(folder, 'second/data')).mode & 0o777).toBe(0o700)
})

it('creates a database from scratch if the cache is not writable', async () => {
  await createWith('/dev/null/cache', 'without')
  expect(existsSync(join(folder, 'without/data/PG_VERSION'))).toBe(true)
})

// In a process of its own, which does not optimize the code: that would cost another three seconds.
async function createWith(cache: string, name: string): Promise<void> {
  const env = { ...process.env, XDG_CACHE_HOME: cache }
  const creator = startProgram(program, [join(folder, name)], { env })
  creator.send('select 1 as one')
  expect(JSON.parse(await creator.nextLine())).toEqual([{ one: 1 }])
  expect(existsSync(join(folder, name, 'data.unfinished'))).toBe(false)
  await creator.stop('SIGKILL')
}
