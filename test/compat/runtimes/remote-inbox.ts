import type { EventDelivery, UnreadableDelivery } from '@feed-receiver/core'
import type { InboxView } from '../../contract/delivery-inbox.ts'
import type { Remote } from './remote.ts'

/** The inbox of another process, for the contract of every inbox. */
export function remoteInbox({ call }: Remote): InboxView {
  return {
    inbox: {
      // The other side returns the result of its inbox, and parses the event from the bytes.
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

/** Without the event, because its text may contain U+2028, which ends a line on most runtimes. */
function told<Delivery extends { body: Uint8Array }>({ body, ...delivery }: Delivery) {
  return { ...delivery, event: undefined, bodyBase64: Buffer.from(body).toString('base64') }
}
