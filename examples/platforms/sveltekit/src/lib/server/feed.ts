import { building } from '$app/environment'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'

export const inbox = createInbox({ database: process.env.DATABASE_URL })
// A function, because the build runs this too, perhaps without secrets.
export const receiver = createReceiver({ secrets: () => secretsFromEnv(process.env), inbox })

// Not awaited, because a delivery waits for it.
if (!building) {
  inbox.start().catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
}
