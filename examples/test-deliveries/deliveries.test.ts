import { memoryInbox } from '@feed-receiver/core/testing'
import { deliver, eventBuilders, fixture, testSecret } from '@feed-receiver/sender/testing'
import { expect, test } from 'vitest'
import { createApp } from './app.ts'

// #region deliver
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

// #region fault
test('answers the retry after a lost answer as a duplicate', async () => {
  const app = createApp(memoryInbox(), [testSecret])
  const make = eventBuilders()

  const { attempts } = await deliver(make.outage_started(), { secret: testSecret })
    .to(app)
    .with('reset_after_commit')

  expect(attempts).toMatchObject([{ cause: 'reset' }, { status: 200 }])
})
// #endregion
