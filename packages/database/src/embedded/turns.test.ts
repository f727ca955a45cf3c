import { AsyncResource } from 'node:async_hooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { shareTurns, type Rank } from './turns.ts'

describe('turns on the embedded database', () => {
  const database = useDatabase('pglite')
  const insert = 'insert into note (name) values ($1)'

  beforeAll(async () => {
    await database().query(
      'create table note (id int generated always as identity, name text not null)',
    )
  })

  // Inside its own transaction, the database rejects other calls.
  const outside = AsyncResource.bind((run: () => Promise<unknown>) => run())

  async function names(like: string): Promise<string[]> {
    const { rows } = await database().query<{ name: string }>(
      'select name from note where name like $1 order by id',
      [like],
    )
    return rows.map(({ name }) => name)
  }

  it('runs an urgent statement next, however many wait before it', async () => {
    const waiting = numbered('waiting', 50).map((name) => database().query(insert, [name]))
    const urgent = database().query(insert, ['waiting urgent'], { isUrgent: true })
    await Promise.all([...waiting, urgent])
    const order = await names('waiting %')
    expect(order).toHaveLength(51)
    // The first one already runs when the urgent one arrives.
    expect(order.indexOf('waiting urgent')).toBeLessThanOrEqual(1)
  })

  it('runs an urgent statement before waiting transactions', async () => {
    let urgent: Promise<unknown> | undefined
    const waiting = numbered('tx', 20).map((name) =>
      database().tx(async (tx) => {
        await tx.query(insert, [name])
        urgent ??= outside(() => database().query(insert, ['tx urgent'], { isUrgent: true }))
        await tx.query(insert, [`${name} again`])
      }),
    )
    await Promise.all(waiting)
    await urgent
    expect((await names('tx %')).indexOf('tx urgent')).toBe(2)
  })

  it('gives other statements a turn now and then, however many are urgent', async () => {
    const urgent = numbered('busy', 40).map((name) =>
      database().query(insert, [name], { isUrgent: true }),
    )
    const other = database().query(insert, ['busy other'])
    await Promise.all([...urgent, other])
    expect((await names('busy %')).indexOf('busy other')).toBeLessThan(15)
  })

  it('yields to the event loop between statements', async () => {
    const turns = countTurnsOfEventLoop()
    await Promise.all(numbered('loop', 50).map((name) => database().query(insert, [name])))
    expect(turns.stop()).toBeGreaterThanOrEqual(49)
  })

  it('yields to the event loop between the statements of a transaction', async () => {
    const turns = countTurnsOfEventLoop()
    await database().tx(async (tx) => {
      for (const name of numbered('inside', 50)) await tx.query(insert, [name])
    })
    expect(turns.stop()).toBeGreaterThanOrEqual(49)
  })
})

it('gives another process a turn when idle, and now and then when busy', async () => {
  const waitForTurn = shareTurns()
  const order: Rank[] = []
  const use = async (rank: Rank) => {
    const passOn = await waitForTurn(rank)
    order.push(rank)
    passOn()
  }
  const first = await waitForTurn('own')
  const served = [use('served'), use('served')]
  const own = Array.from({ length: 60 }, (_, index) => use(index % 2 ? 'own' : 'urgent'))
  first()
  await Promise.all([...served, ...own])
  expect(order.indexOf('served')).toBe(32)
  expect(order.lastIndexOf('served')).toBe(61)
})

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name} ${index}`)
}

function countTurnsOfEventLoop(): { stop(): number } {
  let turns = 0
  let next = setImmediate(count)
  return {
    stop() {
      clearImmediate(next)
      return turns
    },
  }

  function count(): void {
    turns += 1
    next = setImmediate(count)
  }
}
