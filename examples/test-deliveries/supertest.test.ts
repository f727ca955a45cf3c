import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { fixture, testSecret } from '@feed-receiver/sender/testing'
import request from 'supertest'
import { expect, test } from 'vitest'
import { createApp } from './app.ts'

const app = createApp(memoryInbox(), [testSecret])

// #region supertest
test('accepts a signed delivery that supertest sends as text', async () => {
  const { headers, body } = signDelivery(fixture('outage_started'), { secret: testSecret })
  // supertest serializes a Buffer as JSON, and those bytes would not match the signature.
  const text = new TextDecoder().decode(body)
  const { status } = await request(app).post('/webhooks/feed').set(headers).send(text)
  expect(status).toBe(202)
})
// #endregion
