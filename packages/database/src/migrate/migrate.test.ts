import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { startProgram, type RunningProgram } from '../../../../test/support/start-program.ts'
import { describeOnEachWay, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { openDatabase } from '../index.ts'
import { migrationSql } from '../internal.ts'
import { reservedWords } from './schema-name.ts'

vi.setConfig({ testTimeout: 30_000 })

const first = { '0001-notes.sql': 'create table note (id int);\ninsert into note values (1);\n' }
const second = { ...first, '0002-more.sql': 'insert into note select id + 1 from note;' }

describeOnEachWay('migrate on %s', (kind) => {
  const database = useDatabase(kind)
  let count = 0
  const nextSchema = () => `kit_${(count += 1)}`

  test('applies each file once, in order, in the schema it creates', embedded, async () => {
    const schema = nextSchema()
    const folder = await folderOf(first)
    expect(await database().migrate(folder, { schema })).toEqual(['0001-notes.sql'])
    expect(await database().migrate(pathToFileURL(folder), { schema })).toEqual([])
    expect(await database().migrate(await folderOf(second), { schema })).toEqual(['0002-more.sql'])
    const notes = await database().query(`select id from ${schema}.note order by id`)
    expect(notes.rows).toEqual([{ id: 1 }, { id: 2 }])
    const applied = await database().query(`select name, applied_at from ${schema}.migration`)
    expect(applied.rows).toEqual(
      ['0001-notes.sql', '0002-more.sql'].map((name) => ({ name, applied_at: expect.any(Date) })),
    )
  })

  test('accepts named texts instead of files, and records them alike', embedded, async () => {
    const schema = nextSchema()
    expect(await database().migrate(first, { schema })).toEqual(['0001-notes.sql'])
    expect(await database().missingMigrations(await folderOf(first), { schema })).toEqual([])
    expect(await database().migrate(second, { schema })).toEqual(['0002-more.sql'])
    expect(await migrationSql(second, { schema })).toContain(second['0002-more.sql'])
    const misnamed = database().migrate({ '1-a': 'select 1' }, { schema })
    await expect(misnamed).rejects.toMatchObject({ code: 'migration_folder' })
  })

  test('rejects every name that SQL does not accept as a schema', embedded, async () => {
    const { rows } = await database().query<{ word: string }>(
      `select word from pg_get_keywords() where catcode in ('R', 'T')`,
    )
    const words = rows.map(({ word }) => word)
    expect(reservedWords).toEqual(expect.arrayContaining(words))
    for (const schema of [...words, 'pg_kit', 'information_schema', 'Kit', 'a b', '']) {
      const migrated = database().migrate(first, { schema })
      await expect(migrated).rejects.toMatchObject({ code: 'bad_schema' })
    }
    // Other key words are fine.
    expect(await database().migrate(first, { schema: 'between' })).toHaveLength(1)
  })

  test('leaves the search_path of later statements alone', embedded, async () => {
    const before = await database().query('show search_path')
    await database().migrate(await folderOf(first), { schema: nextSchema() })
    expect(await database().query('show search_path')).toEqual(before)
  })

  test('lists pending migrations without applying them', embedded, async () => {
    const schema = nextSchema()
    const folder = await folderOf(second)
    const names = ['0001-notes.sql', '0002-more.sql']
    expect(await database().missingMigrations(folder, { schema })).toEqual(names)
    expect(await database().missingMigrations(folder, { schema })).toEqual(names)
    await database().migrate(await folderOf(first), { schema })
    expect(await database().missingMigrations(folder, { schema })).toEqual(['0002-more.sql'])
    await database().migrate(folder, { schema })
    expect(await database().missingMigrations(folder, { schema })).toEqual([])
  })

  test('has nothing to do after its SQL was run by hand', embedded, async () => {
    const schema = nextSchema()
    const folder = await folderOf({ ...second, '0003-quoted.sql': '-- $1 and $& are left alone' })
    const text = await migrationSql(folder, { schema })
    // Without begin and commit, because tx already opens a transaction.
    await database().tx((tx) => tx.executeSql(text.replaceAll(/^(?:begin|commit);$/gm, '')))
    expect(await database().migrate(folder, { schema })).toEqual([])
    expect((await database().query(`select id from ${schema}.note`)).rowCount).toBe(2)
  })

  test(
    'rolls back everything if one file fails, and continues from there later',
    embedded,
    async () => {
      const schema = nextSchema()
      const folder = await folderOf({ ...first, '0002-broken.sql': 'select 1; select nonsense;' })
      await expect(database().migrate(folder, { schema })).rejects.toMatchObject({
        code: 'migration_failed',
        message: expect.stringContaining('0002-broken.sql'),
        cause: { code: '42703' },
      })
      expect((await database().query(`select from ${schema}.migration`)).rowCount).toBe(0)
      expect(await database().migrate(await folderOf(second), { schema })).toHaveLength(2)
    },
  )

  test('rejects a file that was changed or removed after it was applied', embedded, async () => {
    const schema = nextSchema()
    await database().migrate(await folderOf(second), { schema })
    const edited = await folderOf({ ...second, '0001-notes.sql': 'create table other (id int)' })
    const changed = {
      code: 'migration_changed',
      message: expect.stringContaining('0001-notes.sql'),
    }
    await expect(database().migrate(edited, { schema })).rejects.toMatchObject(changed)
    const removed = await folderOf({ '0002-more.sql': second['0002-more.sql'] })
    await expect(database().migrate(removed, { schema })).rejects.toMatchObject(changed)
  })

  test('ignores Windows line endings', embedded, async () => {
    const schema = nextSchema()
    await database().migrate(await folderOf(first), { schema })
    const windows = { '0001-notes.sql': first['0001-notes.sql'].replaceAll('\n', '\r\n') }
    expect(await database().migrate(await folderOf(windows), { schema })).toEqual([])
  })

  test('rejects a schema that is newer than the folder', embedded, async () => {
    const schema = nextSchema()
    await database().migrate(await folderOf(second), { schema })
    await expect(database().migrate(await folderOf(first), { schema })).rejects.toMatchObject({
      code: 'migration_newer',
      message: expect.stringContaining('newer than this version of the package'),
    })
  })

  test('rejects a file that was added before an applied one', embedded, async () => {
    const schema = nextSchema()
    const { '0002-more.sql': more, ...rest } = second
    await database().migrate(await folderOf({ ...rest, '0003-more.sql': more }), { schema })
    const late = await folderOf({ ...second, '0003-more.sql': more })
    await expect(database().migrate(late, { schema })).rejects.toMatchObject({
      code: 'migration_order',
      message: expect.stringContaining('0002-more.sql'),
    })
  })

  test.each([
    ['an invalid name', { '1-a.sql': '' }],
    ['two files with one number', { '0001-a.sql': '', '0001-b.sql': '' }],
    ['no file', { 'readme.md': '' }],
  ])('rejects a folder with %s', async (_name, files) => {
    const migrating = database().migrate(await folderOf(files), { schema: nextSchema() })
    await expect(migrating).rejects.toMatchObject({ code: 'migration_folder' })
  })

  test('rejects a missing folder', async () => {
    const migrating = database().migrate('/nowhere', { schema: nextSchema() })
    await expect(migrating).rejects.toMatchObject({ code: 'migration_folder' })
  })

  test.each(['', 'A', '1a', 'a-b', 'a;drop', 'a'.repeat(64)])(
    'rejects the schema %j',
    async (schema) => {
      const migrating = database().migrate(await folderOf(first), { schema })
      await expect(migrating).rejects.toMatchObject({ code: 'bad_schema' })
    },
  )

  test('applies each file once when called concurrently', embedded, async () => {
    const schema = nextSchema()
    const folder = await folderOf(second)
    const calls = Array.from({ length: 8 }, () => database().migrate(folder, { schema }))
    expect((await Promise.all(calls)).flat()).toEqual(Object.keys(second))
    expect((await database().query(`select from ${schema}.note`)).rowCount).toBe(2)
  })
})

test('applies each file once when several processes start at once', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const folder = await folderOf(second)
  const program = new URL('../../../../test/support/use-database.ts', import.meta.url)
  const children = Array.from({ length: 6 }, () => startProgram(program, [url]))
  await Promise.all(children.map((child) => answerTo(child, 'select 1')))
  for (const schema of ['race_1', 'race_2', 'race_3']) {
    const answers = children.map((child) => answerTo(child, `migrate ${schema} ${folder}`))
    expect((await Promise.all(answers)).flat()).toEqual(Object.keys(second))
  }
  for (const child of children) child.send('exit')
  await Promise.all(children.map(({ ended }) => ended))
  await drop()
})

test('names the missing privilege, and needs none on the database if the schema exists', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  await using owner = openDatabase(url)
  const role = `newcomer_${process.pid}`
  await owner.query(`create role ${role} login`)
  const asNewcomer = new URL(url)
  asNewcomer.username = role
  const newcomer = openDatabase(asNewcomer.href)
  const denied = (grant: string) => ({
    code: 'no_privilege',
    message: expect.stringContaining(grant),
    cause: { code: '42501' },
  })
  const migrate = () => newcomer.migrate(first, { schema: 'kit' })

  const make = `create schema kit authorization ${role}`
  await expect(migrate()).rejects.toMatchObject(denied(make))
  await owner.query('create schema kit')
  const fill = `grant usage, create on schema kit to ${role}`
  await expect(migrate()).rejects.toMatchObject(denied(`run: ${fill}. `))
  const use = `grant usage on schema kit to ${role}`
  const reading = () => newcomer.missingMigrations(first, { schema: 'kit' })
  await expect(reading()).rejects.toMatchObject(denied(`run: ${use}. `))
  await owner.query(use)
  await expect(migrate()).rejects.toMatchObject(denied(`run: ${fill}. `))
  await owner.query(fill)
  expect(await migrate()).toEqual(['0001-notes.sql'])

  await newcomer.close()
  await owner.query(`drop owned by ${role}`)
  await owner.query(`drop role ${role}`)
  await owner.close()
  await drop()
})

test('needs only read privileges if the schema is up to date', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  const folder = await folderOf(first)
  await using owner = openDatabase(url)
  await owner.migrate(folder, { schema: 'kit' })
  const role = `reader_${process.pid}`
  await owner.query(`create role ${role} login`)
  const asReader = new URL(url)
  asReader.username = role
  const reader = openDatabase(asReader.href)
  const grant = `grant usage on schema kit to ${role}; grant select on kit.migration to ${role}`
  for (const call of ['migrate', 'missingMigrations'] as const) {
    await expect(reader[call](folder, { schema: 'kit' })).rejects.toMatchObject({
      code: 'no_privilege',
      message: expect.stringContaining(`run: ${grant}. `),
    })
  }
  await owner.tx((tx) => tx.executeSql(grant))
  expect(await reader.migrate(folder, { schema: 'kit' })).toEqual([])
  await reader.close()
  await owner.query(`drop owned by ${role}`)
  await owner.query(`drop role ${role}`)
  await owner.close()
  await drop()
})

test('names the lists of the owner of the migrations', async () => {
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  await using owner = openDatabase(url)
  await owner.migrate(first, { schema: 'kit' })
  const role = `lister_${process.pid}`
  await owner.query(`create role ${role} login`)
  await owner.query(`grant usage on schema kit to ${role}`)
  const asLister = new URL(url)
  asLister.username = role
  const lister = openDatabase(asLister.href)
  const steps: [files: Record<string, string>, name: string, grant: string][] = [
    [
      { '0001-more.sql': 'create table more (id int)' },
      'more',
      `grant usage, create on schema kit to ${role}; grant select, insert, update on kit.migration_lock to ${role}`,
    ],
    [
      { '0001-other.sql': 'create table other (id int)' },
      'other',
      `grant usage on schema kit to ${role}; grant select on kit.migration_other to ${role}`,
    ],
  ]
  await owner.migrate(steps[1]?.[0] ?? {}, { schema: 'kit', owner: 'other' })
  for (const [files, name, grant] of steps) {
    const migrate = () => lister.migrate(files, { schema: 'kit', owner: name })
    await expect(migrate()).rejects.toMatchObject({
      code: 'no_privilege',
      message: expect.stringContaining(`run: ${grant}. `),
    })
    await owner.tx((tx) => tx.executeSql(grant))
    expect(await migrate()).toEqual(name === 'more' ? Object.keys(files) : [])
  }
  await lister.close()
  await owner.query(`drop owned by ${role}`)
  await owner.query(`drop role ${role}`)
  await owner.close()
  await drop()
})

async function answerTo(child: RunningProgram, line: string): Promise<unknown> {
  child.send(line)
  return JSON.parse(await child.nextLine())
}

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-sql-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}
