// #region deliver
import { memoryInbox } from '@feed-receiver/core/testing'
import { deliver, fixture, testSecret } from '@feed-receiver/sender/testing'
import { expect, test } from 'vitest'
import { createApp } from './app.ts'

test('stores an event once that arrives three times at once', async () => {
  const inbox = memoryInbox()
  const app = createApp(inbox, [testSecret])

  const { answers } = await deliver(fixture('outage_started'), { secret: testSecret })
    .to(app)
    .times(3)
    .concurrently()

  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 202])
  expect(inbox.entries.size).toBe(1)
})
// #endregion
