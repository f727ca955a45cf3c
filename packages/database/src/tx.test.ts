import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { describeOnEachWay, embedded, useDatabase } from '../../../test/support/databases.ts'
import type { Tx } from './index.ts'

/** Two rows of one id, which a deferred constraint rejects at the commit. */
const late = 'insert into late select 1 from generate_series(1, 2)'

describeOnEachWay('tx on %s', (kind) => {
  const database = useDatabase(kind, 'nothing', { maxConnections: 4 })

  beforeAll(async () => {
    await database().query('create table note (id text primary key)')
    await database().query(
      'create table late (id int unique deferrable initially deferred, n int generated always as identity)',
    )
  })

  async function ids(): Promise<string[]> {
    const { rows } = await database().query<{ id: string }>('select id from note order by id')
    return rows.map(({ id }) => id)
  }

  const insert = 'insert into note values ($1)'

  test('commits and returns the result when the function resolves', async () => {
    const result = await database().tx(async (tx) => {
      await tx.query(insert, ['committed'])
      return 'done'
    })
    expect(result).toBe('done')
    expect(await ids()).toContain('committed')
  })

  test('rejects a statement with a stack that leads to its caller', async () => {
    async function writesNothing(tx: Tx) {
      await tx.query('select missing from note')
    }
    const failing = database().tx(writesNothing)
    await expect(failing).rejects.toHaveProperty('stack', expect.stringContaining('writesNothing'))
  })

  test('rolls back when the function rejects or throws, and rejects with its error', async () => {
    const reason = new Error('on purpose')
    const failing = database().tx(async (tx) => {
      await tx.query(insert, ['rolled-back'])
      throw reason
    })
    await expect(failing).rejects.toBe(reason)
    const throwing = database().tx(() => {
      throw reason
    })
    await expect(throwing).rejects.toBe(reason)
    expect(await ids()).not.toContain('rolled-back')
  })

  test('rejects if a failed statement was caught', async () => {
    const swallowing = database().tx(async (tx) => {
      await tx.query(insert, ['swallowed'])
      await tx.query('select 1 / 0').catch(() => undefined)
    })
    await expect(swallowing).rejects.toMatchObject({ code: 'tx_aborted' })
    expect(await ids()).not.toContain('swallowed')
  })

  test('rejects when COMMIT fails', embedded, async () => {
    const colliding = database().tx(async (tx) => {
      await tx.query('insert into late values (1), (1)')
    })
    await expect(colliding).rejects.toMatchObject({ code: '23505' })
    expect((await database().query('select from late')).rowCount).toBe(0)
  })

  test('continues after an error within a savepoint', embedded, async () => {
    await database().tx(async (tx) => {
      await tx.query('savepoint before')
      await tx.query('select 1 / 0').catch(() => undefined)
      await tx.query('rollback to savepoint before')
      await tx.query(insert, ['after-savepoint'])
    })
    expect(await ids()).toContain('after-savepoint')
  })

  test('runs statements in order even if they are not awaited', async () => {
    const names = ['p1', 'p2', 'p3']
    await database().tx((tx) => Promise.all(names.map((name) => tx.query(insert, [name]))))
    expect(await ids()).toEqual(expect.arrayContaining(names))
  })

  test('ends only after the last statement, even after one failed', async () => {
    const racing = database().tx((tx) =>
      Promise.all([tx.query('select 1 / 0'), tx.query(insert, ['raced']).catch(() => undefined)]),
    )
    await expect(racing).rejects.toMatchObject({ code: '22012' })
    expect(await ids()).not.toContain('raced')
  })

  test('rejects a handle used after its transaction', async () => {
    const kept: Tx[] = []
    await database().tx(async (tx) => {
      kept.push(tx)
    })
    const [tx] = kept
    await expect(tx?.query('select 1')).rejects.toMatchObject({ code: 'tx_ended' })
    await expect(tx?.executeSql('select 1')).rejects.toMatchObject({ code: 'tx_ended' })
    expect(() => tx?.afterCommit(() => {})).toThrow(expect.objectContaining({ code: 'tx_ended' }))
  })

  test.each<[string, () => Promise<unknown>]>([
    ['query', () => database().query('select 1')],
    ['tx', () => database().tx(async () => undefined)],
    ['migrate', () => database().migrate('.', { schema: 'a' })],
    ['open', () => database().open()],
    ['close', () => database().close()],
  ])('rejects %s of the database inside its own transaction', embedded, async (_name, use) => {
    await database().tx(async (tx) => {
      await expect(use()).rejects.toMatchObject({
        code: 'outside_tx',
        message: expect.stringContaining('tx handle'),
      })
      // Also after a wait, in any function called from there.
      await delay(1)
      await expect(use()).rejects.toMatchObject({ code: 'outside_tx' })
      await tx.query('select 1')
    })
  })

  test('allows the database after its end in work started inside', async () => {
    let later: Promise<unknown> = Promise.resolve()
    const gate = new EventEmitter()
    await database().tx(async () => {
      later = once(gate, 'ended').then(() => database().query('select 1 as one'))
    })
    gate.emit('ended')
    expect(await later).toMatchObject({ rows: [{ one: 1 }] })
  })

  test('hides uncommitted rows from others, and runs many concurrently', async () => {
    const names = Array.from({ length: 20 }, (_value, index) => `many-${index}`)
    await Promise.all(names.map((name) => database().tx((tx) => tx.query(insert, [name]))))
    expect(await ids()).toEqual(expect.arrayContaining(names))
  })

  test('returns the rows of several statements from executeSql', embedded, async () => {
    const { rows } = await database().tx((tx) => tx.executeSql('select 1 as a; select 2 as a'))
    expect(rows).toEqual([{ a: 1 }, { a: 2 }])
    const one = await database().tx((tx) => tx.executeSql('select $1::int as a', [3]))
    expect(one.rows).toEqual([{ a: 3 }])
  })

  test('runs afterCommit callbacks in order before tx() resolves', async () => {
    const happened: string[] = []
    const seen: Promise<string[]>[] = []
    await database().tx(async (tx) => {
      tx.afterCommit(() => {
        happened.push('first')
        seen.push(ids())
      })
      await tx.query(insert, ['called-back'])
      tx.afterCommit(() => happened.push('second'))
      await delay(1)
      expect(happened).toEqual([])
    })
    expect(happened).toEqual(['first', 'second'])
    // On PostgreSQL, from another connection, so the row is committed by then.
    expect(await seen[0]).toContain('called-back')
    await database().tx(async (tx) => tx.afterCommit(() => happened.push('without a statement')))
    expect(happened).toContain('without a statement')
  })

  test.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['the function rejects', () => Promise.reject(new Error('on purpose'))],
    ['a failed statement is caught', (tx) => tx.query('select 1 / 0').catch(() => undefined)],
    ['COMMIT fails', (tx) => tx.query('insert into late values (2), (2)')],
  ])('runs no afterCommit callback if %s', async (_name, fail) => {
    let isCalled = false
    const failing = database().tx(async (tx) => {
      tx.afterCommit(() => (isCalled = true))
      await tx.query(insert, ['not-called-back'])
      await fail(tx)
    })
    await expect(failing).rejects.toBeInstanceOf(Error)
    await delay(1)
    expect(isCalled).toBe(false)
  })

  test('blocks nobody before its first statement, or without one', embedded, async () => {
    let goOn = () => {}
    const slow = new Promise<void>((resolve) => (goOn = resolve))
    const running = database().tx(async (tx) => {
      await slow
      return (await tx.query<{ one: number }>('select 1 as one')).rows
    })
    // On an embedded database this would wait for an open transaction.
    expect((await database().query('select 2 as two')).rows).toEqual([{ two: 2 }])
    expect(await database().tx(async () => 3)).toBe(3)
    goOn()
    expect(await running).toEqual([{ one: 1 }])
  })

  test('runs the last statement after the function, and before the commit', embedded, async () => {
    await database().tx(async (tx) => {
      tx.endWith({ text: `${insert} returning id`, values: ['last'], isRepeated: true })
      await tx.query(insert, ['before the last'])
    })
    expect(await ids()).toEqual(expect.arrayContaining(['before the last', 'last']))
    await database().tx(async (tx) => tx.endWith({ text: insert, values: ['alone'] }))
    expect(await ids()).toContain('alone')
  })

  test.each([
    ['fails', { text: 'select 1 / $1::integer', values: [0] }, { code: '22012' }],
    ['has a bad value', { text: insert, values: [Symbol('none')] }, { code: 'bad_parameter' }],
    ['violates a constraint at the commit', { text: late, values: [] }, { code: '23505' }],
  ])('rolls back if the last statement %s', embedded, async (_, statement, error) => {
    const failing = database().tx(async (tx) => {
      await tx.query(insert, ['not kept'])
      tx.endWith(statement)
    })
    await expect(failing).rejects.toMatchObject(error)
    expect(await ids()).not.toContain('not kept')
    // The connection serves the next transaction.
    await database().tx((tx) => tx.query('select 1'))
  })

  test('runs no last statement if the function rejects, or has caught a failure', async () => {
    const failing = database().tx(async (tx) => {
      tx.endWith({ text: insert, values: ['never'] })
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    const aborted = database().tx(async (tx) => {
      tx.endWith({ text: insert, values: ['never'] })
      await tx.query('select 1 / 0').catch(() => undefined)
    })
    await expect(aborted).rejects.toMatchObject({ code: '25P02' })
    expect(await ids()).not.toContain('never')
  })
})
