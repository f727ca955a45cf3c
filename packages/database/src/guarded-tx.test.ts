import { expect, it } from 'vitest'
import { guardTx } from './guarded-tx.ts'

it('ends only after the statement that nobody waits for, and takes none after that', async () => {
  const happened: string[] = []
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const guarded = guardTx({
    async query(text) {
      happened.push(`${text} sent`)
      await answered
      happened.push(`${text} answered`)
      return { rows: [], rowCount: 0 }
    },
    executeSql: async () => ({ rows: [] }),
  })
  expect(guarded.tx.isBegun).toBe(false)
  const both = [guarded.tx.query('first'), guarded.tx.query('second')]
  expect(guarded.tx.isBegun).toBe(true)
  const settled = guarded.settle().then(() => happened.push('settled'))
  const late = { code: 'tx_settled' }
  await expect(guarded.tx.query('third')).rejects.toMatchObject(late)
  expect(happened).toEqual(['first sent'])
  answer()
  await settled
  expect(happened).toEqual([
    'first sent',
    'first answered',
    'second sent',
    'second answered',
    'settled',
  ])
  await expect(guarded.tx.executeSql('fourth')).rejects.toMatchObject(late)
  await Promise.all(both)
})
