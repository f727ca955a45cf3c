import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../../../../test/support/postgres.ts'
import { openDatabase, type Database } from '../index.ts'

describe('a repeated statement', () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(async () => {
    await server.stop()
  })

  const text = 'select $1::integer + 1 as next'
  const next = async (database: Database, value: number) => {
    const { rows } = await database.query<{ next: number }>(text, [value], { isRepeated: true })
    return rows[0]?.next
  }
  const planNames = async (database: Database) => {
    const { rows } = await database.query<{ name: string }>(
      'select name from pg_prepared_statements',
    )
    return rows.map(({ name }) => name)
  }
  // With one connection, so that every statement uses it.
  const open = () => openDatabase(server.url, { maxConnections: 1 })

  it('keeps its plan, and other statements have none', async () => {
    await using database = open()
    expect(await next(database, 1)).toBe(2)
    expect(await next(database, 2)).toBe(3)
    await database.query('select $1::integer as other', [1])
    expect(await planNames(database)).toEqual([expect.stringMatching(/^feed_[0-9a-f]{32}$/)])
  })

  it('runs without a plan after a pooler dropped it', async () => {
    await using database = open()
    await next(database, 1)
    await database.query('deallocate all')
    expect(await next(database, 2)).toBe(3)
    expect(await next(database, 3)).toBe(4)
    expect(await planNames(database)).toEqual([])
  })

  it('runs without a plan if the connection has another of that name', async () => {
    await using first = open()
    await next(first, 1)
    const [name] = await planNames(first)
    await using database = open()
    await database.query(`prepare ${name} as select 7 as next`)
    expect(await next(database, 1)).toBe(2)
  })

  it('runs only once if it fails for another reason', async () => {
    await using database = open()
    await database.query('create table kept_once (id integer)')
    await database.query('create sequence tries')
    const fail = 'insert into kept_once select 1 / ($1::integer * nextval($2)::integer)'
    const failing = database.query(fail, [0, 'tries'], { isRepeated: true })
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    const { rows } = await database.query('select last_value as tries from tries')
    expect(rows).toEqual([{ tries: 1 }])
    const { rowCount } = await database.query('select from kept_once')
    expect(rowCount).toBe(0)
  })

  it('keeps its plan as the last one of a transaction, too', async () => {
    await using database = open()
    const end = () => database.tx(async (tx) => tx.endWith({ text, values: [1], isRepeated: true }))
    await end()
    await end()
    expect(await planNames(database)).toEqual([expect.stringMatching(/^feed_[0-9a-f]{32}$/)])
  })
})
