import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import type { MemberSettings } from './settings.ts'

export interface StartedInbox {
  inbox: Inbox
  database: Database
}

/**
 * Starts an inbox, and retries while the database is down, like a process supervisor: a process
 * that ends by itself is reported as a problem.
 */
export async function startInbox(
  { name, databaseUrl }: Pick<MemberSettings, 'name' | 'databaseUrl'>,
  use: (inbox: Inbox) => void | Promise<void> = () => {},
): Promise<StartedInbox> {
  for (;;) {
    const database = openDatabase(databaseUrl, { applicationName: name })
    const onError = (error: unknown) => console.log('in the background:', error)
    const inbox = createInbox({ database, onError })
    try {
      await inbox.start()
      await use(inbox)
      return { inbox, database }
    } catch (error) {
      console.log(`cannot start: ${String(error)}`)
      await inbox.stop().catch(() => undefined)
      await database.close().catch(() => undefined)
      await delay(100)
    }
  }
}
