import { memoryInbox } from '@feed-receiver/core/testing'
import { describe } from 'vitest'
import { deliveryInboxCases } from './delivery-inbox.ts'

describe('the memory inbox', () => {
  const inbox = memoryInbox()
  deliveryInboxCases(() => ({
    inbox,
    async bytesOf(eventId) {
      const entry = inbox.entries.get(eventId)
      return entry && Buffer.from(entry.body)
    },
    async quarantineOf(eventId) {
      return inbox.quarantined
        .filter(({ delivery }) =>
          'event' in delivery ? delivery.event.id === eventId : delivery.eventId === eventId,
        )
        .map(({ reason }) => reason)
    },
  }))
})
