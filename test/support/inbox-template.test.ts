import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findInboxTemplate } from './inbox-template.ts'

const migration = 'packages/inbox/src/schema/0001-inbox.ts'
const made = {
  [migration]: 'create table entry ()',
  'packages/inbox/src/queue/job-indexes.ts': 'create index',
  'packages/database/src/embedded/engine.ts': 'open',
  'packages/database/src/migrate/migrate.ts': 'begin',
  'node_modules/pg-boss/package.json': '{ "version": "12.35.0" }',
  'node_modules/@electric-sql/pglite/package.json': '{ "version": "0.5.16" }',
}

describe('the prepared inbox of the tests', () => {
  let root = ''
  const today = new Date('2026-11-02T10:00:00Z')
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const find = (now = today) => findInboxTemplate(root, now)

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'feed-receiver-root-'))
    onTestFinished(() => rm(root, { recursive: true }))
    for (const [path, text] of Object.entries(made)) await write(path, text)
  })

  it('is the same for two runs of a day', async () => {
    expect(await find(new Date('2026-11-02T23:59:59Z'))).toBe(await find())
  })

  it.each(Object.keys(made))('is another one after a change of %s', async (path) => {
    const before = await find()
    await write(path, '{ "version": "changed" }')
    expect(await find()).not.toBe(before)
  })

  it('does not depend on tests', async () => {
    const before = await find()
    await write(migration.replace('.ts', '.test.ts'), 'a test')
    expect(await find()).toBe(before)
  })

  it('replaces that of two days before, and leaves that of the day before', async () => {
    const days = ['2026-10-31', '2026-11-01', '2026-11-02']
    const paths = await Promise.all(days.map((day) => find(new Date(`${day}T12:00:00Z`))))
    for (const path of paths) await mkdir(path)
    await find()
    const names = await readdir(dirname(paths[0] ?? ''))
    expect(names.map((name) => name.slice('inbox-'.length).slice(0, 10))).toEqual(days.slice(1))
  })
})
