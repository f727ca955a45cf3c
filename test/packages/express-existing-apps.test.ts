import { createReceiver } from '@feed-receiver/core'
import { memoryInbox, signDelivery } from '@feed-receiver/core/testing'
import { keepRawBody, toExpress } from '@feed-receiver/express'
import { fixture } from '@feed-receiver/sender'
import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'

const secret = 'feed_whsec_express_0123456789abcdef'
const path = '/webhooks/feed'

function setup(prepare: (app: Express) => void) {
  const inbox = memoryInbox()
  const receiver = createReceiver({ secrets: [secret], inbox })
  const app = express()
  prepare(app)
  app.post(path, toExpress(receiver))
  app.post('/orders', (req, res) => void res.json({ body: req.body }))
  const deliver = async (headers: Record<string, string> = {}) => {
    const delivery = signDelivery(fixture('outage_started'), { secret })
    const posted = request(app).post(path).set(delivery.headers).set(headers)
    // Left to itself, supertest writes a Buffer as JSON.
    return posted.serialize(asItIs).send(delivery.body)
  }
  return { app, inbox, deliver }
}

function asItIs(bytes: unknown): string {
  return bytes as string
}

describe('Express, in an app that exists', () => {
  it('refuses what express.json() has read, with the sentence that mends it', async () => {
    const { deliver, inbox } = setup((app) => app.use(express.json()))
    const { status, body } = await deliver()
    expect(status).toBe(503)
    expect(body).toMatchObject({ code: 'body_already_read' })
    expect(body.error).toContain('express.json({ verify: keepRawBody })')
    expect(inbox.entries.size).toBe(0)
  })

  it('works behind express.json({ verify: keepRawBody })', async () => {
    const { app, deliver, inbox } = setup((one) => one.use(express.json({ verify: keepRawBody })))
    expect((await deliver()).status).toBe(202)
    expect(inbox.entries.size).toBe(1)
    const orders = await request(app).post('/orders').send({ count: 1 })
    expect(orders.body).toEqual({ body: { count: 1 } })
  })

  it('works behind express.raw(), whose Buffer is the body to the byte', async () => {
    const { deliver } = setup((app) => app.use(path, express.raw({ type: '*/*' })))
    expect((await deliver()).status).toBe(202)
  })

  it('refuses what express.text() has read', async () => {
    const { deliver } = setup((app) => app.use(express.text({ type: '*/*' })))
    expect((await deliver()).body).toMatchObject({ code: 'body_already_read' })
  })

  it('does not mind a parser for other types', async () => {
    const { deliver } = setup((app) => app.use(express.urlencoded({ extended: true })))
    expect((await deliver()).status).toBe(202)
  })
})
