import { createReceiver, type SecretProvider } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './handlers'

export interface FeedOptions {
  database: Database
  secrets: SecretProvider
}

export function createFeed({ database, secrets }: FeedOptions) {
  const inbox = createInbox({ database })
  return { database, inbox, receiver: createReceiver({ secrets, inbox }), handlers }
}
