import { describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'

describe('a delivery on a busy embedded database', () => {
  const database = useDatabase('pglite', 'inbox')

  const cases = ['stored', 'duplicate', 'quarantined'] as const
  it.each(cases)('is %s before work that was queued earlier', async (expected) => {
    await using inbox = createInbox({ database: database() })
    await inbox.start()
    const delivery = deliveryOf(makeEvent())
    const other = { ...delivery, body: Buffer.concat([delivery.body, Buffer.from(' ')]) }
    if (expected !== 'stored') await inbox.accept(delivery)

    let done = 0
    const work = Array.from({ length: 100 }, () =>
      database()
        .query('select 1')
        .then(() => (done += 1)),
    )
    const accepted = await inbox.accept(expected === 'quarantined' ? other : delivery)
    expect(accepted).toEqual(expected === 'quarantined' ? { quarantined: 'id_conflict' } : expected)
    // One statement already runs, and another may run between two statements of the inbox.
    expect(done).toBeLessThan(10)
    await Promise.all(work)
  })
})
