import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInbox } from '@feed-receiver/inbox'
import { withContext } from '@feed-receiver/inbox/extend'
import { expect, it, onTestFinished } from 'vitest'
import { createHolds } from './holds.ts'

it('has its table once the inbox runs, and stores no hold for an unknown event', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holds-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await using inbox = createInbox({ database: { folder } })
  const { hold } = createHolds(inbox)
  await inbox.start()
  expect(await hold('evt_unknown', 'a lawsuit')).toMatchObject({ rowCount: 0 })
  const holds = await withContext(inbox, async ({ database }) => {
    const { rows } = await database.query('select count(*)::int as count from feed_inbox.hold')
    return rows
  })
  expect(holds).toEqual([{ count: 0 }])
})
