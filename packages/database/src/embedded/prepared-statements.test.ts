import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'

describe('repeated statements on the embedded database', { tags: ['embedded'] }, () => {
  const database = useDatabase('pglite', 'nothing')
  const again = { isRepeated: true }

  beforeAll(() => database().query('create table part (id integer primary key, data bytea)'))

  const insert = async (id: number, data: Uint8Array) => {
    const { rows } = await database().query<{ id: number; data: Buffer }>(
      'insert into part values ($1, $2) returning id, data',
      [id, data],
      again,
    )
    return rows[0]
  }
  const planNames = async () => {
    const { rows } = await database().query<{ name: string }>(
      `select name from pg_prepared_statements where statement like 'insert into part%'`,
    )
    return rows.map(({ name }) => name)
  }

  it('keep one plan, and get bytes as they are', async () => {
    const bytes = Buffer.from([0, 1, 92, 255])
    expect(await insert(1, bytes)).toEqual({ id: 1, data: bytes })
    expect(await insert(2, bytes)).toEqual({ id: 2, data: bytes })
    expect(await planNames()).toHaveLength(1)
  })

  it('run again after they have failed, or after their plan is gone', async () => {
    await insert(3, Buffer.alloc(0))
    await expect(insert(3, Buffer.alloc(0))).rejects.toMatchObject({ code: '23505' })
    expect(await insert(4, Buffer.alloc(0))).toMatchObject({ id: 4 })
    await database().query('deallocate all')
    await expect(insert(5, Buffer.alloc(0))).rejects.toMatchObject({ code: '26000' })
    expect(await insert(5, Buffer.alloc(0))).toMatchObject({ id: 5 })
    expect(await planNames()).toHaveLength(1)
  })

  it('end a transaction, and roll it back if they fail', async () => {
    const run = (first: number, last: number) =>
      database().tx(async (tx) => {
        await tx.query('insert into part values ($1)', [first])
        tx.endWith({ text: 'insert into part values ($1)', values: [last], isRepeated: true })
      })
    await run(10, 11)
    await expect(run(12, 11)).rejects.toMatchObject({ code: '23505' })
    await run(13, 14)
    const { rows } = await database().query('select id from part where id >= 10 order by id')
    expect(rows).toEqual([10, 11, 13, 14].map((id) => ({ id })))
  })

  it('reject a second statement in their text', async () => {
    const two = database().query('select 1; select 2', [], again)
    await expect(two).rejects.toMatchObject({ code: '42601' })
    await expect(database().query('select 1; select 2')).rejects.toMatchObject({ code: '42601' })
  })
})
