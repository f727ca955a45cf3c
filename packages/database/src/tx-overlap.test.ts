import { expect, it } from 'vitest'
import { describeOnEachWay, useDatabase } from '../../../test/support/databases.ts'

describeOnEachWay('overlapping transactions on %s', (kind) => {
  const database = useDatabase(kind)

  it('stay separate: the end of one does not release the database from another', async () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    const outside = { code: 'outside_tx' }
    const open = database().tx(async (tx) => {
      await ended
      await expect(database().query('select 1')).rejects.toMatchObject(outside)
      await expect(database().tx(async () => {})).rejects.toMatchObject(outside)
      await expect(database().close()).rejects.toMatchObject(outside)
      await tx.query('select 1')
    })
    await database().tx((tx) => tx.query('select 1'))
    end()
    await open
    await database().query('select 1')
  })
})
