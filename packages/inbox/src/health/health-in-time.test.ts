import { expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'

// Longer than the test, so only the time limit of the health check can end it.
const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })

it('reports the database as down within its limit while a statement waits', async () => {
  const inbox = createInbox({ database: database() })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  let unlock = () => {}
  let onLocked = () => {}
  onTestFinished(() => unlock())
  const unlocked = new Promise<void>((resolve) => (unlock = resolve))
  const locked = new Promise<void>((resolve) => (onLocked = resolve))
  const locking = database().tx(async (tx) => {
    await tx.query('lock table feed_inbox.entry in access exclusive mode')
    onLocked()
    await unlocked
  })
  await Promise.race([locked, locking])
  expect(await inbox.health()).toMatchObject({ ok: false, database: 'down', error: 'timeout' })
  unlock()
  await locking
  await expect.poll(() => inbox.health()).toMatchObject({ ok: true, database: 'up', error: null })
})
