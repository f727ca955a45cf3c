import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type DeadEntry, type FailedAttempt, type Handler } from '../index.ts'

describeOnEach('the transaction of a handler on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  beforeAll(async () => {
    await database().query('create table effect (event_id text not null)')
  })

  it.each([
    'commit',
    '-- done\n /* all */ /* of it */ ; Commit and chain',
    'end',
    'abort',
    'rollback work',
    'begin',
    "prepare transaction 'x'",
  ])('rejects %s', async (statement) => {
    const { dead, effects } = await drain(async ({ id }, { tx }) => {
      await tx.query('insert into effect values ($1)', [id])
      await tx.executeSql(statement)
    })
    expect(dead).toEqual([expect.objectContaining({ code: 'transaction_control' })])
    expect(effects).toBe(0)
  })

  it('continues if the handler catches the rejection', embedded, async () => {
    const { dead, effects, handled } = await drain(async ({ id }, { tx }) => {
      await tx.query('insert into effect values ($1)', [id])
      await tx.query('commit').catch(() => undefined)
    })
    expect({ dead, effects, handled }).toEqual({ dead: [], effects: 1, handled: 1 })
  })

  it.each([
    ['commits among several statements', 'select 1; commit', 1],
    ['rolls back among several statements', 'select 1; rollback', 0],
    ['begins another one', 'select 1; commit; begin', 1],
    ['chains another one', 'select 1; commit and chain', 1],
  ])('is not finished, nor retried, if the handler %s', embedded, async (_, text, kept) => {
    for (const last of [() => undefined, throwing]) {
      const { dead, effects, handled } = await drain(async ({ id }, { tx }) => {
        await tx.query('insert into effect values ($1)', [id])
        await tx.executeSql(text)
        last()
      })
      expect(dead).toEqual([expect.objectContaining({ code: 'transaction_control' })])
      expect({ effects, handled }).toEqual({ effects: kept, handled: 0 })
    }
  })

  it('allows savepoints', async () => {
    const { effects, handled } = await drain(async ({ id }, { tx }) => {
      await tx.query('savepoint before')
      await tx.query('insert into effect values ($1)', [id])
      await tx.query('rollback to before')
      await tx.query('ROLLBACK WORK TO SAVEPOINT before')
      await tx.query('insert into effect values ($1)', [id])
      await tx.query('release before')
    })
    expect({ effects, handled }).toEqual({ effects: 1, handled: 1 })
  })

  it('names a failed statement whose error the handler caught', embedded, async () => {
    const { failed } = await drain(async (_event, { tx }) => {
      await tx.query('select 1 / 0').catch(() => undefined)
    })
    expect(failed).toEqual([expect.objectContaining({ code: 'caught_failure' })])
  })

  async function drain(handler: Handler) {
    sources += 1
    const inbox = createInbox({ database: database(), source: `source${sources}` })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    const [failed, dead]: unknown[][] = [[], []]
    const { handled } = await inbox.drain(
      { '*': handler },
      {
        onFailed: ({ error }: FailedAttempt) => failed?.push(error),
        onDead: ({ error }: DeadEntry) => dead?.push(error),
      },
    )
    const { rows } = await database().query('select from effect where event_id = $1', [event.id])
    return { handled, failed, dead, effects: rows.length }
  }
})

function throwing(): never {
  throw new Error('after its commit')
}
