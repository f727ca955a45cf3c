import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'

export const inbox = createInbox({ database: process.env.DATABASE_URL })
export const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })

// Not awaited, because a delivery waits for it. If it fails, the platform starts a new instance.
inbox.start().catch((error: unknown) => {
  console.error(error)
  process.exit(1)
})
