import type { EventDelivery, UnreadableDelivery } from '@feed-receiver/core'
import type { InboxView } from '../contract/delivery-inbox.ts'
import type { Remote } from './remote.ts'

/** The inbox of another process, for the cases that every inbox has to pass. */
export function remoteInbox({ call }: Remote): InboxView {
  return {
    inbox: {
      // The other side answers with what its own inbox says, and parses the event from the bytes.
      accept: async (delivery: EventDelivery) => (await call('accept', told(delivery))) as 'stored',
      quarantine: (delivery: UnreadableDelivery, reason) =>
        call('quarantine', told(delivery), reason),
    },
    async bytesOf(eventId) {
      const base64 = await call('bytesOf', eventId)
      return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
    },
    quarantineOf: (eventId) => call('quarantineOf', eventId),
  }
}

/** Without the event: its text may hold U+2028, where readline ends a line on most runtimes. */
function told<Delivery extends { body: Uint8Array }>({ body, ...delivery }: Delivery) {
  return { ...delivery, event: undefined, bodyBase64: Buffer.from(body).toString('base64') }
}
