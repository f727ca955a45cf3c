import { knownTypes } from '@feed-receiver/core/internal'
import { describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { holdInbox, makeEvent, otherSecret, setup, type Mount } from './harness.ts'
import { nothing, type Open } from './session.ts'

export function answersCases(mount: Mount): void {
  describe('answers', () => {
    statusCases((limits) => setup(mount, limits))

    it('202 for a new event, after it is stored [R168]', async () => {
      const { deliver, inbox, observations } = await setup(mount)
      const event = makeEvent()
      const answer = await deliver(event)
      expect(answer.status).toBe(202)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.body).toBe(`{"status":"stored","id":"${event.id}"}`)
      expect(inbox.entries.get(event.id)?.event).toEqual(event)
      expect(observations).toMatchObject([
        { reason: 'stored', status: 202, eventId: event.id, eventType: 'model_release' },
      ])
    })

    it('202 for a delivery without the id header, and notes it', async () => {
      const { deliver, observations } = await setup(mount)
      const answer = await deliver(makeEvent(), { headers: { 'feed-event-id': undefined } })
      expect(answer.body).toContain('stored')
      expect(observations[0]?.notes).toEqual(['event_id_header_missing'])
    })

    it('429 with Retry-After over the limit of in-flight deliveries [R238]', async () => {
      const held = holdInbox()
      const { deliver, observations } = await setup(mount, { maxInFlight: 2, inbox: held.inbox })
      const first = [deliver(makeEvent()), deliver(makeEvent())]
      await until('both wait', () => held.waiting() === 2)
      const third = await deliver(makeEvent())
      expect(third.status).toBe(429)
      expect(third.headers['retry-after']).toMatch(/^\d+$/)
      expect(observations[0]?.retryAfterSeconds).toBe(Number(third.headers['retry-after']))
      expect(third.body).toContain('"code":"overloaded"')
      held.release()
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual([202, 202])
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('the same if the observer throws', async () => {
      const down = new Error('The metrics are down.')
      const throws = () => {
        throw down
      }
      for (const observe of [throws, () => Promise.reject(down)]) {
        const { deliver } = await setup(mount, { observe })
        expect((await deliver(makeEvent())).status).toBe(202)
      }
    })
  })
}

/** Responses that a client sees on every platform. */
export function statusCases(open: Open): void {
  it('200 for a duplicate [R175]', async () => {
    const { deliver, holds } = await open()
    const event = makeEvent()
    await deliver(event)
    const answer = await deliver(event)
    expect(answer.status).toBe(200)
    expect(answer.body).toBe(`{"status":"duplicate","id":"${event.id}"}`)
    expect((await holds()).stored).toBe(1)
  })

  it('one 202 and forty-nine 200 for fifty concurrent deliveries of one event', async () => {
    const { deliver, holds } = await open()
    const event = makeEvent()
    const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(event)))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 202])
    expect((await holds()).stored).toBe(1)
  })

  it('202 for every documented type, including the test delivery [R72, R209]', async () => {
    const { deliver, holds } = await open()
    for (const type of knownTypes) {
      expect((await deliver(makeEvent({ type }))).status).toBe(202)
    }
    expect((await holds()).stored).toBe(knownTypes.length)
  })

  it('202 for the same id with other bytes, and quarantines it', async () => {
    const { deliver, holds } = await open()
    const event = makeEvent()
    await deliver(event)
    const answer = await deliver({ ...event, type: 'model_removed' })
    expect(answer.status).toBe(202)
    expect(answer.body).toBe(`{"status":"quarantined","id":"${event.id}","code":"id_conflict"}`)
    expect(await holds()).toEqual({ stored: 1, quarantined: ['id_conflict'] })
    expect((await deliver(event)).status).toBe(200)
  })

  it('202 for a header with another id, and quarantines it [R67]', async () => {
    const { deliver, holds } = await open()
    const event = makeEvent()
    const answer = await deliver(event, { headers: { 'feed-event-id': 'evt_other' } })
    expect(answer.status).toBe(202)
    expect(answer.body).toContain('"code":"id_mismatch"')
    expect(await holds()).toEqual({ stored: 0, quarantined: ['id_mismatch'] })
    expect((await deliver(event)).body).toContain('stored')
  })

  it('200 for a duplicate whose header has another id [R67]', async () => {
    const { deliver, holds } = await open()
    const event = makeEvent()
    await deliver(event)
    const answer = await deliver(event, { headers: { 'feed-event-id': 'evt_other' } })
    expect(answer.status).toBe(200)
    expect(await holds()).toEqual({ stored: 1, quarantined: [] })
  })

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('405 for %s [R159]', async (method) => {
    const { send, holds } = await open()
    const answer = await send({ method, headers: {} })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
    expect(answer.body).toContain('"code":"method_not_allowed"')
    expect(await holds()).toEqual(nothing)
  })

  it('405 for HEAD, without a body', async () => {
    const { send } = await open()
    const answer = await send({ method: 'HEAD', headers: {} })
    expect(answer).toMatchObject({ status: 405, body: '' })
  })

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, identity', 'aes128gcm'])(
    '415 for Content-Encoding: %s',
    async (encoding) => {
      const { deliver, holds } = await open()
      const answer = await deliver(makeEvent(), { headers: { 'content-encoding': encoding } })
      expect(answer.status).toBe(415)
      expect(answer.body).toContain('"code":"content_encoding"')
      expect(await holds()).toEqual(nothing)
    },
  )

  it.each(['identity', 'Identity', ''])('202 for Content-Encoding: %j', async (encoding) => {
    const { deliver } = await open()
    const answer = await deliver(makeEvent(), { headers: { 'content-encoding': encoding } })
    expect(answer.status).toBe(202)
  })

  it('the status of the `statuses` option if it is set', async () => {
    const { deliver } = await open({ statuses: { stored: 201, signature_mismatch: 503 } })
    expect((await deliver(makeEvent())).status).toBe(201)
    expect((await deliver(makeEvent(), { secret: otherSecret })).status).toBe(503)
  })
}
