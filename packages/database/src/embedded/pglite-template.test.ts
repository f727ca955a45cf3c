import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startProgram } from '../../../../test/support/start-program.ts'
import { openDatabase } from '../index.ts'
import { copyTemplate, installTemplates, saveTemplate, templatePath } from './pglite-template.ts'

vi.setConfig({ testTimeout: 120_000 })

const program = new URL('../../../../test/support/use-database.ts', import.meta.url)
// Copies have the same id.
const initialSql = 'create table made as select gen_random_uuid() as id; select 1'
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feed-receiver-template-'))
})

afterAll(() => rm(folder, { recursive: true }))

describe('the template of new databases', () => {
  const cache = () => join(folder, 'cache')
  const templates = () => readdirSync(join(cache(), 'feed-receiver'))
  const template = () => join(cache(), 'feed-receiver', templates()[0] ?? '')
  let made: unknown[]
  let id: unknown
  let packed: Buffer

  beforeAll(async () => {
    // Concurrently, as two apps that start for the first time.
    made = await Promise.all(['first', 'second'].map((name) => create(cache(), name)))
    packed = readFileSync(template())
    id = await create(cache(), 'copy')
  })

  it('is the first database, of which later ones are copies', () => {
    expect(made).toContain(id)
  })

  it('is one small file', () => {
    expect(templates()).toEqual([expect.stringMatching(/^pglite-\d+\.\d+\.\d+-[\da-f]{16}\.v1$/)])
    expect(packed.length).toBeLessThan(3_000_000)
    expect(statSync(template()).mode & 0o777).toBe(0o600)
  })

  it('replaces what an interrupted first start left', async () => {
    const unfinished = join(folder, 'interrupted/data.unfinished')
    await mkdir(unfinished, { recursive: true })
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n')
    vi.stubEnv('XDG_CACHE_HOME', cache())
    await using database = openDatabase({ folder: join(folder, 'interrupted') })
    await database.open({ initialSql: async () => initialSql })
    expect((await database.query('select id from made')).rows).toEqual([{ id }])
    expect(existsSync(unfinished)).toBe(false)
    // The files of PGlite are open to all users, and their folder is not.
    expect(statSync(join(folder, 'interrupted/data')).mode & 0o777).toBe(0o700)
  })

  it('is replaced if it is damaged', async () => {
    await writeFile(template(), packed.subarray(0, -1_000))
    const other = await create(cache(), 'damaged')
    expect(other).not.toBe(id)
    expect(await create(cache(), 'after damage')).toBe(other)
    await writeFile(template(), packed)
  })

  it.each([
    ['cut off', () => packed.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['changed', () => Buffer.concat([packed.subarray(0, -1), Buffer.from('?')])],
  ])('is not copied if it is %s', async (name, contents) => {
    const damaged = join(folder, name)
    await writeFile(damaged, contents())
    const copy = join(folder, `copy of ${name}`)
    expect(copyTemplate(damaged, copy)).toBe(false)
    expect(existsSync(copy)).toBe(false)
  })

  it.runIf(process.getuid?.() === 0)('is not copied if it is of another user', async () => {
    const foreign = join(folder, 'foreign')
    await writeFile(foreign, packed)
    await chown(foreign, 12_345, 12_345)
    expect(copyTemplate(foreign, join(folder, 'copy of foreign'))).toBe(false)
    await chown(foreign, 0, 0)
    expect(copyTemplate(foreign, join(folder, 'copy of own'))).toBe(true)
  })

  it('is another one for other SQL', () => {
    expect(templatePath(`${initialSql} as one`)).not.toBe(templatePath(initialSql))
  })

  it('is removed after 30 days without a use', async () => {
    const old = join(folder, 'old')
    vi.stubEnv('XDG_CACHE_HOME', old)
    const [used = '', unused = '', later = ''] = ['used', 'unused', 'later'].map(templatePath)
    const interrupted = `${unused}-${randomUUID()}`
    const other = join(old, 'feed-receiver/notes.txt')
    const small = join(folder, 'small')
    await mkdir(small)
    saveTemplate(used, small)
    for (const path of [unused, interrupted, other]) await writeFile(path, '')
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
    for (const path of [used, unused, interrupted, other])
      await utimes(path, daysAgo(31), daysAgo(31))
    expect(copyTemplate(used, join(folder, 'copy of used'))).toBe(true)
    saveTemplate(later, small)
    const names = [used, later, other].map((path) => basename(path))
    expect(new Set(readdirSync(join(old, 'feed-receiver')))).toEqual(new Set(names))
  })

  it('is installed from a package, unless there is one', async () => {
    const installed = join(folder, 'installed')
    const shipped = join(cache(), 'feed-receiver')
    vi.stubEnv('XDG_CACHE_HOME', installed)
    installTemplates(shipped)
    expect(await create(installed, 'from package')).toBe(id)
    const names = readdirSync(join(installed, 'feed-receiver'))
    expect(names).toEqual(readdirSync(shipped))
    const [name = ''] = names
    await writeFile(join(installed, 'feed-receiver', name), 'older')
    installTemplates(shipped)
    expect(readFileSync(join(installed, 'feed-receiver', name), 'utf8')).toBe('older')
    installTemplates(join(folder, 'missing'))
    installTemplates(join(shipped, name))
    vi.stubEnv('XDG_CACHE_HOME', '/dev/null/cache')
    installTemplates(shipped)
  })
})

it('creates a database from scratch if the cache is not writable', async () => {
  await create('/dev/null/cache', 'without')
  expect(existsSync(join(folder, 'without/data/PG_VERSION'))).toBe(true)
})

it('reports an error of the initial SQL, and leaves no folder', async () => {
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'bad sql'))
  await using database = openDatabase({ folder: join(folder, 'rejected') })
  await expect(database.open({ initialSql: async () => 'create tables' })).rejects.toMatchObject({
    code: '42601',
    message: expect.stringContaining('syntax error'),
  })
  expect(readdirSync(join(folder, 'rejected'))).toEqual([])
  expect(existsSync(join(folder, 'bad sql'))).toBe(false)
})

// In a process of its own, which does not optimize the code: that would cost another three seconds.
async function create(cache: string, name: string, sql = initialSql): Promise<unknown> {
  const env = { ...process.env, XDG_CACHE_HOME: cache }
  const creator = startProgram(program, [join(folder, name)], { env })
  creator.send(`open ${sql}`)
  expect(await creator.nextLine()).toBe('undefined')
  creator.send('select id from made')
  const [made] = JSON.parse(await creator.nextLine()) as { id: unknown }[]
  expect(existsSync(join(folder, name, 'data.unfinished'))).toBe(false)
  await creator.stop('SIGKILL')
  return made?.id
}
