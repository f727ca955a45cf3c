import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { lockTable } from '../../../../test/support/lock-table.ts'
import { createInbox } from '../index.ts'

// Longer than the test, so only the time limit of the health check can end it.
const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })

it('reports the database as down within its limit while a statement waits', async () => {
  const inbox = createInbox({ database: database() })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  const { unlock } = await lockTable(database(), 'feed_inbox.entry')
  expect(await inbox.health()).toMatchObject({ ok: false, database: 'down', error: 'timeout' })
  await unlock()
  await expect.poll(() => inbox.health()).toMatchObject({ ok: true, database: 'up', error: null })
})
