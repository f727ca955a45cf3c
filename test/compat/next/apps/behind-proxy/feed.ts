import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'

declare global {
  var feedBehindProxy: ReturnType<typeof createFeed> | undefined
}

// Each route is a separate bundle, so routes share only the global object.
export const { inbox, receiver, roomyReceiver } = (globalThis.feedBehindProxy ??= createFeed())

function createFeed() {
  const secrets = () => [process.env['FEED_SIGNING_SECRET']]
  const feedInbox = memoryInbox()
  return {
    inbox: feedInbox,
    receiver: createReceiver({ secrets, inbox: feedInbox }),
    roomyReceiver: createReceiver({ secrets, inbox: feedInbox, maxBodyBytes: 33_554_432 }),
  }
}
