import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import type { MemberSettings } from './settings.ts'

export interface StartedInbox {
  inbox: Inbox
  database: Database
}

export interface InboxUse {
  use?: (inbox: Inbox) => void | Promise<void>
  /** Gets the jobs that are claimed, until they are unclaimed. */
  claimed?: ClaimedJobs
}

/** The ids of the events of claimed jobs, by the ids of the jobs. */
export type ClaimedJobs = Map<string, string>

interface ClaimedRow {
  id: string
  eventId: string
  state: string | null
}

/**
 * Starts an inbox, and retries while the database is down, like a process supervisor: a process
 * that ends by itself is reported as a problem.
 */
export async function startInbox(
  { name, databaseUrl }: Pick<MemberSettings, 'name' | 'databaseUrl'>,
  { use = () => {}, claimed = new Map<string, string>() }: InboxUse = {},
): Promise<StartedInbox> {
  for (;;) {
    const database = openDatabase(databaseUrl, { applicationName: name })
    const onError = (error: unknown) => console.log('in the background:', error)
    const inbox = createInbox({ database: watchClaims(database, claimed), onError })
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

function watchClaims(database: Database, claimed: ClaimedJobs): Database {
  return {
    ...database,
    bossOptions() {
      const { db, ...options } = database.bossOptions()
      const executeSql: typeof db.executeSql = async (...statement) => {
        const answer = await db.executeSql(...statement)
        const [text, [, ids] = []] = statement
        if (text.startsWith('with job as (')) {
          const pending = (answer.rows as ClaimedRow[]).filter(({ state }) => state === 'received')
          for (const { id, eventId } of pending) claimed.set(id, eventId)
        }
        if (text.startsWith('with freed as (') && Array.isArray(ids)) {
          for (const id of ids) claimed.delete(String(id))
        }
        return answer
      }
      return { ...options, db: { ...db, executeSql } }
    },
  }
}
