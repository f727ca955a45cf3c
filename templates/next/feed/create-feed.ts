import { createConsole, type ConsoleAccess } from '@feed-receiver/console'
import { createReceiver, type SecretProvider } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { handlers } from './handlers'

export interface FeedOptions {
  database: Database
  secrets: SecretProvider
  /** Access to the console at /console; if undefined, there is no console. */
  access?: ConsoleAccess | undefined
}

export function createFeed({ database, secrets, access }: FeedOptions) {
  const inbox = createInbox({ database })
  const receiver = createReceiver({ secrets, inbox })
  const feedConsole = access && createConsole({ inbox, token: access.token, readOnly: false })
  return { database, inbox, receiver, handlers, access, feedConsole }
}
