import { describe, expect, it } from 'vitest'
import type { DeliveryInbox } from '@feed-receiver/core'
import { until } from '../support/until.ts'
import { holdInbox, makeEvent, setup, type Mount } from './harness.ts'

export function faultCases(mount: Mount): void {
  describe('faults', () => {
    it('503 while the inbox fails, and 202 once it works again [R174]', async () => {
      const held = holdInbox()
      held.release()
      let isDown = true
      const { deliver, observations } = await setup(mount, {
        inbox: {
          ...held.inbox,
          accept: (delivery) => {
            if (isDown) throw new Error('The database is gone.')
            return held.inbox.accept(delivery)
          },
        },
      })
      const event = makeEvent()
      const answer = await deliver(event)
      expect(answer.status).toBe(503)
      expect(answer.body).toContain('"code":"store_failed"')
      expect(answer.body).not.toContain('database')
      expect(observations[0]?.error).toMatchObject({ message: 'The database is gone.' })
      isDown = false
      expect((await deliver(event)).status).toBe(202)
    })

    it('503 for failures over the in-flight limit, and accepts the next delivery', async () => {
      const held = holdInbox()
      held.release()
      let failures = 3
      const { deliver, receiver } = await setup(mount, {
        maxInFlight: 1,
        inbox: {
          ...held.inbox,
          accept: async (delivery) => {
            failures -= 1
            if (failures < 0) return await held.inbox.accept(delivery)
            throw new Error('The database is gone.')
          },
        },
      })
      for (const status of [503, 503, 503, 202]) {
        expect((await deliver(makeEvent())).status).toBe(status)
      }
      await receiver.stop()
    })

    it('503 if the inbox resolves with an unknown result', async () => {
      // The type allows three results, but an inbox in JavaScript may return any.
      const accept = (async () => 'ok') as unknown as DeliveryInbox['accept']
      const { deliver, observations } = await setup(mount, {
        inbox: { accept, quarantine: async () => {} },
      })
      const answer = await deliver(makeEvent())
      expect(answer.status).toBe(503)
      expect(answer.body).toContain('"code":"store_failed"')
      expect(String(observations[0]?.error)).toContain('inbox.accept resolved with ok')
    })

    it('503 if quarantine fails, because the delivery is not stored', async () => {
      const { deliver } = await setup(mount, {
        inbox: {
          accept: async () => 'stored',
          quarantine: async () => {
            throw new Error('The disk is full.')
          },
        },
      })
      expect((await deliver(Buffer.from('no json'))).status).toBe(503)
    })

    it('503 if the inbox times out, and 200 later if it stored the event anyway [R168]', async () => {
      const held = holdInbox()
      const event = makeEvent()
      const inbox: DeliveryInbox = {
        ...held.inbox,
        accept: async (delivery) =>
          delivery.event.id === event.id ? held.inbox.accept(delivery) : 'stored',
      }
      const { deliver } = await setup(mount, { inbox, deadlineMs: 500, maxInFlight: 1 })
      const answer = await deliver(event)
      expect(answer.status).toBe(503)
      expect(answer.body).toContain('"code":"store_timeout"')
      // Its slot is free, although the inbox has not returned yet.
      expect((await deliver(makeEvent())).status).toBe(202)
      held.release()
      await until('it is stored', () => held.entries.has(event.id))
      expect((await deliver(event)).status).toBe(200)
    })

    it('503 to new deliveries during shutdown, after waiting for those in flight', async () => {
      const held = holdInbox()
      const { deliver, receiver, givesBytes } = await setup(mount, { inbox: held.inbox })
      const first = deliver(makeEvent())
      await until('it waits', () => held.waiting() === 1)
      let isStopped = false
      const stopping = receiver.stop().then(() => (isStopped = true))
      const late = await deliver(makeEvent())
      expect(late.status).toBe(503)
      expect(late.headers.connection === 'close').toBe(!givesBytes)
      expect(late.body).toContain('"code":"shutting_down"')
      expect(isStopped).toBe(false)
      held.release()
      expect((await first).status).toBe(202)
      await stopping
      await receiver.stop()
    })

    it('answers an authentic, fresh delivery only with 2xx, 429 or 503 [R174]', async () => {
      const held = holdInbox()
      held.release()
      const statuses = new Set<number>()
      const note = ({ status }: { status: number }) => statuses.add(status)
      const inboxes: DeliveryInbox[] = [
        held.inbox,
        {
          accept: () => Promise.reject(new Error('down')),
          quarantine: () => Promise.reject(new Error('down')),
        },
        { accept: () => new Promise(() => {}), quarantine: () => new Promise(() => {}) },
      ]
      for (const inbox of inboxes) {
        const { deliver } = await setup(mount, { inbox, deadlineMs: 100 })
        const bodies = ['', 'null', '{}', '[1]', '"x"', '{"schema_version":"9"}', '\ufeff{}']
        for (const body of bodies) note(await deliver(Buffer.from(body)))
        note(await deliver(makeEvent()))
        note(await deliver(makeEvent({ type: 'never_heard_of' })))
        note(await deliver(makeEvent(), { headers: { 'feed-event-id': 'evt_another' } }))
      }
      expect([...statuses].toSorted()).toEqual([202, 503])
    })
  })
}
