import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toNext } from '@feed-receiver/next'

const receiver = createReceiver({
  secrets: ['feed_whsec_packed_0123456789abcdef'],
  inbox: memoryInbox(),
})

// Next uses browser types, with their own Request and Response.
export const POST: (request: Request) => Promise<Response> = toNext(receiver)
