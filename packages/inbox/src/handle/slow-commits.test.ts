import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus, useDatabase } from '../../../../test/support/databases.ts'
import {
  countHeldCommits,
  holdCommits,
  letCommitsWait,
} from '../../../../test/support/hold-commits.ts'
import { createInbox } from '../index.ts'

// Longer than the test, because the delayed commits must not time out.
const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })

it('starts the next handler during a commit, with a limit on waiting commits', async ({ skip }) => {
  skip(isOnCitus('postgres'), 'Citus supports no triggers, which delay commits here.')
  const inbox = createInbox({ database: database() })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  await letCommitsWait(database(), ['feed_inbox.entry'])
  const events = [makeEvent(), makeEvent(), makeEvent()]
  for (const event of events) await inbox.accept(deliveryOf(event))

  const calls: string[] = []
  const release = await holdCommits(database())
  await inbox.work({ '*': ({ id }) => calls.push(id) }, { concurrency: 1 })
  await expect.poll(() => countHeldCommits(database())).toBe(2)
  expect(calls).toHaveLength(2)
  await release()
  for (const { id } of events) {
    await expect.poll(async () => (await inbox.entries.get(id))?.state).toBe('done')
  }
  expect(calls.toSorted()).toEqual(events.map(({ id }) => id).toSorted())
})
