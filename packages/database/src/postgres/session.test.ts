import { readFileSync } from 'node:fs'
import { Client, Pool, types } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import {
  createTestDatabase,
  setForDatabase,
  type TestDatabase,
} from '../../../../test/support/postgres.ts'
import { openDatabase, type Database, type PgPool } from '../index.ts'
import { sessionSettings } from './session-settings.ts'

/** A value of each setting that is not fine, and the one that a statement then sees. */
const values: Record<string, [wrong: string, right: string]> = {
  synchronous_commit: ['off', 'on'],
  default_transaction_isolation: ['serializable', 'read committed'],
  DateStyle: ['German', 'ISO, DMY'],
  IntervalStyle: ['sql_standard', 'postgres'],
  standard_conforming_strings: ['off', 'on'],
  array_nulls: ['off', 'on'],
  extra_float_digits: ['-15', '1'],
  statement_timeout: ['900', '0'],
  lock_timeout: ['900', '0'],
}

it('describes in the README what each setting prevents', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const rows = sessionSettings.map(({ name, prevents }) => ({
    name,
    isThere: rowOf(name, prevents).test(readme),
  }))
  expect(rows.filter(({ isThere }) => !isThere)).toEqual([])
})

describe.each(['a URL', 'the pool of an app'])('a database that is %s', (kind) => {
  let made: TestDatabase
  let pool: Pool | undefined
  let database: Database

  beforeAll(async () => {
    made = await createTestDatabase({ url: inject('postgresUrl') })
    for (const [name, [wrong]] of Object.entries(values)) {
      await setForDatabase(made.url, name, `'${wrong}'`)
    }
    if (kind !== 'a URL') pool = new Pool({ connectionString: made.url })
    database = openDatabase(pool ?? made.url)
  })
  afterAll(async () => {
    await database.close()
    await pool?.end()
    await made.drop()
  })

  const seen = 'select name, setting from pg_settings where name = any($1::text[])'
  const names = Object.keys(values)

  it('sets each setting that statements rely on, for each statement', async () => {
    expect(sessionSettings.map(({ name }) => name)).toEqual(names)
    const { rows } = await database.query<{ name: string; setting: string }>(seen, [names])
    const right = Object.entries(values).map(([name, [, setting]]) => ({ name, setting }))
    // A time limit of our own is set in every transaction.
    const ours = { name: 'statement_timeout', setting: '4050' }
    const expected = right.map((one) => (one.name === ours.name ? ours : one))
    expect(rows.toSorted(byName)).toEqual(expected.toSorted(byName))
  })

  it('reads times, and leaves the settings of the connection as they were', async () => {
    const { rows } = await database.query(`select '2026-11-26 12:00Z'::timestamptz as at`)
    expect(rows).toEqual([{ at: new Date('2026-11-26T12:00:00Z') }])
    if (!pool) return
    const shown = await pool.query('show DateStyle')
    expect(shown.rows).toEqual([{ DateStyle: 'German, DMY' }])
  })

  it('runs transactions as read committed, unless they begin with another level', async () => {
    const level = `select current_setting('transaction_isolation') as level`
    await database.tx(async (tx) => {
      expect((await tx.query(level)).rows).toEqual([{ level: 'read committed' }])
    })
    await database.tx(async (tx) => {
      await tx.query('set transaction isolation level serializable')
      expect((await tx.query(level)).rows).toEqual([{ level: 'serializable' }])
    })
  })

  it('commits a single statement, and rolls back a failed one', async () => {
    await database.query('create table counted (n int primary key)')
    await database.query('insert into counted values (1)')
    const again = database.query('insert into counted values (2), (1)')
    await expect(again).rejects.toMatchObject({ code: '23505' })
    expect((await database.query('select n from counted')).rows).toEqual([{ n: 1 }])
  })

  it('sets them for the statements of pg-boss', async () => {
    const { db } = database.bossOptions()
    const { rows } = await db.executeSql(
      `select current_setting('default_transaction_isolation') as level, now() as at,
         current_setting('statement_timeout') as limit`,
    )
    const right = { level: 'read committed', at: expect.any(Date), limit: '0' }
    expect(rows).toEqual([right])
  })

  it('sets them for no session with the statements of pg-boss, because a pooler may share it', async () => {
    const { db } = database.bossOptions()
    await database.query('create table noted (n int, at text, level text)')
    const sent = vi.spyOn(Client.prototype, 'query')
    await db.executeSql('insert into noted values ($1)', [1])
    const shown = `current_setting('lock_timeout'), current_setting('transaction_isolation')`
    await db.executeSql(`
      BEGIN;
      INSERT INTO noted SELECT 2, ${shown};
      COMMIT;`)
    const rolledBack = db.executeSql('insert into noted values (3 / $1)', [0])
    await expect(rolledBack).rejects.toMatchObject({ code: '22012' })
    const texts = sent.mock.calls.map(([statement]: unknown[]) => String(Object(statement).text))
    sent.mockRestore()
    expect(texts.filter((text) => text.includes('set session'))).toHaveLength(0)
    const { rows } = await db.executeSql('select n, at, level from noted order by n')
    expect(rows).toEqual([
      { n: 1, at: null, level: null },
      { n: 2, at: '0', level: 'read committed' },
    ])
  })
})

describe('a connection with the settings that statements rely on', () => {
  it('runs a statement in one round trip, and reads the settings once', async () => {
    const pool = new Pool({ connectionString: inject('postgresUrl'), max: 1 })
    const query = vi.spyOn(Client.prototype, 'query')
    await using database = openDatabase(pool)
    await database.query('select 1')
    await database.query('select 2')
    const sent = query.mock.calls.map(([statement]: unknown[]) => Object(statement).text)
    query.mockRestore()
    expect(sent).toEqual([expect.stringContaining('pg_settings'), 'select 1', 'select 2'])
    await database.close()
    await pool.end()
  })
})

describe('an app that changed how pg reads values', () => {
  const oids = [16, 20, 23, 25, 1184, 3802]
  const before = oids.map((oid) => types.getTypeParser(oid))
  const wrong = () => 'changed'
  let pool: PgPool & { end(): Promise<void> }

  beforeAll(() => {
    for (const oid of oids) types.setTypeParser(oid, wrong)
    const changed = { getTypeParser: () => wrong }
    pool = new Pool({ connectionString: inject('postgresUrl'), types: changed })
  })
  afterAll(async () => {
    for (const [index, oid] of oids.entries()) types.setTypeParser(oid, before[index] ?? String)
    await pool.end()
  })

  const text = `select true as yes, 3::int8 as many, 'a' as word, '{"a":[1]}'::jsonb as json,
    '2026-11-26 12:00Z'::timestamptz as at`
  const rows = [
    { yes: true, many: 3, word: 'a', json: { a: [1] }, at: new Date('2026-11-26T12:00:00Z') },
  ]

  it.each(['a URL', 'the pool of an app'])('does not change those of %s', async (kind) => {
    await using database = openDatabase(kind === 'a URL' ? inject('postgresUrl') : pool)
    expect((await database.query(text)).rows).toEqual(rows)
    await database.tx(async (tx) => {
      expect((await tx.query(text)).rows).toEqual(rows)
      expect((await tx.executeSql(text)).rows).toEqual(rows)
    })
    expect((await database.bossOptions().db.executeSql(text)).rows).toEqual(rows)
  })
})

function rowOf(name: string, prevents: string): RegExp {
  return new RegExp(`\\| \`${name}\`.*\\| ${prevents.replace(/\.$/, '')} *\\|`, 'i')
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name.localeCompare(b.name)
}
