import { expect, it } from 'vitest'
import { lazyTx } from './lazy-tx.ts'

it('ends after a statement that was not awaited, and rejects later ones', async () => {
  const happened: string[] = []
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const { tx, commit } = lazyTx(async () => ({
    async query(text) {
      happened.push(`${text} sent`)
      await answered
      happened.push(`${text} answered`)
      return { rows: [], rowCount: 0 }
    },
    executeSql: async () => ({ rows: [] }),
    commit: async () => {},
    rollBack: async () => {},
  }))
  expect(tx.isBegun).toBe(false)
  const both = [tx.query('first'), tx.query('second')]
  expect(tx.isBegun).toBe(true)
  const committed = commit().then(() => happened.push('committed'))
  const late = { code: 'tx_ended' }
  await expect(tx.query('third')).rejects.toMatchObject(late)
  await expect.poll(() => happened).toEqual(['first sent'])
  answer()
  await committed
  expect(happened).toEqual([
    'first sent',
    'first answered',
    'second sent',
    'second answered',
    'committed',
  ])
  await expect(tx.executeSql('fourth')).rejects.toMatchObject(late)
  await Promise.all(both)
})
