import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { holdInbox, makeEvent, padTo, path, secret, setupSocket, type Serve } from './harness.ts'
import type { ServerTraits } from './session.ts'
import { socketCases } from './sockets.ts'
import { requestBytes, type WireRequest } from './wire.ts'

export function connectionCases(serve: Serve, traits?: ServerTraits): void {
  describe('connections', () => {
    socketCases((limits) => setupSocket(serve, limits), traits)

    // A connection that is closed with unread bytes is reset, and the answer is lost.
    it.each(largeRequests(traits))(
      'lets a sender of 4 MiB see the %i before it closes: %s',
      async (status, _, request) => {
        const { wire } = await setupSocket(serve)
        const { headers, body } = signDelivery(padTo(4 * 1_048_576), { secret })
        const connection = await wire()
        const all = { ...headers, ...request.headers }
        await connection.sendUnread(requestBytes({ path, body, ...request, headers: all }))
        const answer = await connection.answer()
        expect([answer.status, answer.headers.connection]).toEqual([status, 'close'])
      },
    )

    it('stores nothing of an aborted upload, and continues', async () => {
      const { wire, deliver, inbox, observations } = await setupSocket(serve)
      const { headers, body } = signDelivery(makeEvent(), { secret })
      const connection = await wire()
      connection.send(requestBytes({ path, headers, body }).subarray(0, -1))
      await new Promise((resolve) => setTimeout(resolve, 50))
      connection.destroy()
      await until('it is observed', () => observations.length === 1)
      expect(observations[0]?.reason).toBe('client_gone')
      expect(inbox.entries.size).toBe(0)
      expect((await deliver(makeEvent())).status).toBe(202)
    })

    it('stores the event of a client that disconnects before the response', async () => {
      const held = holdInbox()
      const { wire, deliver } = await setupSocket(serve, { inbox: held.inbox })
      const event = makeEvent()
      const connection = await wire()
      connection.send(requestBytes({ path, ...signDelivery(event, { secret }) }))
      await until('it waits', () => held.waiting() === 1)
      connection.destroy()
      held.release()
      await until('it is stored', () => held.entries.has(event.id))
      expect((await deliver(event)).status).toBe(200)
    })
  })
}

function largeRequests({ passesMethods = true, passesLargeBodies = true }: ServerTraits = {}) {
  const posts: [number, string, Partial<WireRequest>][] = [
    [413, 'too large', {}],
    [401, 'unsigned', { headers: { 'feed-signature': [] } }],
    [415, 'compressed', { headers: { 'content-encoding': 'gzip' } }],
  ]
  const put: (typeof posts)[number] = [405, 'with another method', { method: 'PUT' }]
  return [...(passesLargeBodies ? posts : []), ...(passesMethods ? [put] : [])]
}
