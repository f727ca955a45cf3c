import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'

describeOnEach('duplicates on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')

  it(
    'are counted, and an earlier one from another process moves no time back',
    embedded,
    async () => {
      const inbox = createInbox({ database: database() })
      onTestFinished(() => inbox.stop())
      await inbox.start()
      const delivery = deliveryOf(makeEvent())
      const at = (seconds: number) => new Date(delivery.receivedAt.getTime() + seconds * 1_000)
      for (const seconds of [0, 9, 5]) {
        await inbox.accept({ ...delivery, receivedAt: at(seconds) })
      }
      const { rows } = await database().query(
        'select push_count, first_push_at, last_push_at from feed_inbox.entry where event_id = $1',
        [delivery.event.id],
      )
      expect(rows).toEqual([{ push_count: 3, first_push_at: at(0), last_push_at: at(9) }])
    },
  )
})
