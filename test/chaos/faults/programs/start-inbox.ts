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
  /** Called with the number of jobs after each claim, and with a negative one if they are unclaimed. */
  onClaim?: (jobs: number) => void
}

/**
 * Starts an inbox, and retries while the database is down, like a process supervisor: a process
 * that ends by itself is reported as a problem.
 */
export async function startInbox(
  { name, databaseUrl }: Pick<MemberSettings, 'name' | 'databaseUrl'>,
  { use = () => {}, onClaim = () => {} }: InboxUse = {},
): Promise<StartedInbox> {
  for (;;) {
    const database = openDatabase(databaseUrl, { applicationName: name })
    const onError = (error: unknown) => console.log('in the background:', error)
    const inbox = createInbox({ database: watchClaims(database, onClaim), onError })
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

function watchClaims(database: Database, onClaim: (jobs: number) => void): Database {
  return {
    ...database,
    bossOptions() {
      const { db, ...options } = database.bossOptions()
      const executeSql: typeof db.executeSql = async (...statement) => {
        const answer = await db.executeSql(...statement)
        const [text, [, ids] = []] = statement
        if (text.startsWith('with job as (')) onClaim(answer.rows.length)
        if (text.startsWith('with freed as (') && Array.isArray(ids)) onClaim(-ids.length)
        return answer
      }
      return { ...options, db: { ...db, executeSql } }
    },
  }
}
