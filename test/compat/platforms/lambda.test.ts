import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../support/databases.ts'

const secret = 'feed_whsec_lambda_example_0123456789abcdef'

it('stores a delivery with the Lambda example and drains it later', async () => {
  const { target, drop } = await createTarget('postgres')
  Object.assign(process.env, { FEED_SIGNING_SECRET: secret, DATABASE_URL: target })
  const { inbox } = await import('../../../examples/platforms/lambda/feed.ts')
  onTestFinished(async () => {
    await inbox.stop()
    await drop()
  })
  const { handler } = await import('../../../examples/platforms/lambda/handler.ts')
  const { handler: drain } = await import('../../../examples/platforms/lambda/drain.ts')

  const { method, headers, body } = signDelivery(fixture('outage_started'), { secret })
  const event = {
    requestContext: { http: { method } },
    headers,
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }
  expect((await handler(event)).statusCode).toBe(202)
  expect((await handler(event)).statusCode).toBe(200)
  expect(await drain()).toEqual({ handled: 1, failed: 0, isEmpty: true })
})
