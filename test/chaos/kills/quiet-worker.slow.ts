import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createInbox } from '@feed-receiver/inbox'
import { deliveryOf } from '../../contract/delivery-inbox.ts'
import { makeEvent } from '../../contract/harness.ts'
import { useDatabase } from '../../support/databases.ts'

const database = useDatabase('postgres', 'inbox')

it('finds an event within ten seconds whose notification was lost', async () => {
  const inbox = createInbox({ database: database() })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  const calls: number[] = []
  await inbox.work({ '*': () => void calls.push(performance.now()) })
  const { event, ...delivery } = deliveryOf(makeEvent())
  await inbox.accept({ event, ...delivery })
  await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
  await delay(1_500)
  const againAt = performance.now()
  await database().tx(async (tx) => {
    await tx.query(`update feed_inbox.entry set state = 'received'`)
    await tx.query(
      `update feed_inbox.job set state = 'created', started_on = null, completed_on = null
       where state = 'completed'`,
    )
  })
  await expect.poll(() => calls.length, { timeout: 15_000 }).toBe(2)
  const tookMs = (calls[1] ?? Infinity) - againAt
  expect(tookMs).toBeLessThan(11_000)
})
