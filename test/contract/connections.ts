import { signDelivery } from '@feed-receiver/core/testing'
import { describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { holdInbox, makeEvent, path, secret, setupSocket, type Serve } from './harness.ts'
import type { ServerTraits } from './session.ts'
import { socketCases } from './sockets.ts'
import { requestBytes } from './wire.ts'

export function connectionCases(serve: Serve, traits?: ServerTraits): void {
  describe('connections', () => {
    socketCases((limits) => setupSocket(serve, limits), traits)

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
