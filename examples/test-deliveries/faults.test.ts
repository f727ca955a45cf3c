// #region fault
import { memoryInbox } from '@feed-receiver/core/testing'
import { deliver, eventBuilders, testSecret } from '@feed-receiver/sender/testing'
import { expect, test } from 'vitest'
import { createApp } from './app.ts'

test('answers the retry after a lost answer as a duplicate', async () => {
  const app = createApp(memoryInbox(), [testSecret])
  const make = eventBuilders()

  const { attempts } = await deliver(make.outage_started(), { secret: testSecret })
    .to(app)
    .with('reset_after_commit')

  expect(attempts).toMatchObject([{ cause: 'reset' }, { status: 200 }])
})
// #endregion
