import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryInbox } from '@feed-receiver/core/testing'
import { deliver, fixture, testSecret } from '@feed-receiver/sender/testing'
import { createApp } from './app.ts'

void test('stores an event once that arrives twice', async () => {
  const app = createApp(memoryInbox(), [testSecret])
  const { answers } = await deliver(fixture('outage_started'), { secret: testSecret })
    .to(app)
    .times(2)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 200],
  )
})
