import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { fixture, testSecret } from '@feed-receiver/sender/testing'
import request from 'supertest'
import { expect, test } from 'vitest'
import { createApp } from './app.ts'

const app = createApp(memoryInbox(), [testSecret])

// #region supertest
test('supertest sends a signed delivery, given as text', async () => {
  const { headers, body } = signDelivery(fixture('outage_started'), { secret: testSecret })
  // It would write a Buffer as JSON, and the bytes would be others than those that were signed.
  const text = new TextDecoder().decode(body)
  const { status } = await request(app).post('/webhooks/feed').set(headers).send(text)
  expect(status).toBe(202)
})
// #endregion
