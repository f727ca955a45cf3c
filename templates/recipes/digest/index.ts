import type { Database } from '@feed-receiver/database'
import type { Handlers } from '@feed-receiver/inbox'
import { PgBoss } from 'pg-boss'
import { renderMail } from './render.ts'
import { sendFromEnv, type SendMail } from './send.ts'
import { endMail, planMail, readMail, recordItem, tables } from './store.ts'

export interface DigestOptions {
  database: Database
  /** By default posts to `DIGEST_WEBHOOK_URL`, or prints if that is not set. */
  send?: SendMail
  /** @default '0 8 * * 1', on Mondays at 8:00 */
  cron?: string
  /** @default 'UTC' */
  timeZone?: string
  /** The pg-boss of your app. By default the digest starts one, in the schema `app_jobs`. */
  boss?: PgBoss
}

export interface Digest {
  handlers: Handlers
  /** Stops what it has started. Call it before the inbox stops. */
  stop(): Promise<void>
}

/** Sends a mail about what has changed since the last one. */
export async function createDigest({
  database,
  send = sendFromEnv(process.env),
  cron = '0 8 * * 1',
  timeZone = 'UTC',
  boss: own,
}: DigestOptions): Promise<Digest> {
  await database.migrate(tables, { schema: 'digest' })
  const boss = own ?? new PgBoss({ ...database.bossOptions(), schema: 'app_jobs' })
  // Leaves most of the time for a shutdown to the handlers of the inbox.
  const stop = async () => (own ? undefined : await boss.stop({ timeout: 5_000 }))
  try {
    if (!own) {
      boss.on('error', console.error)
      await boss.start()
    }
    await boss.createQueue('digest', { retryLimit: 10, retryDelay: 60, retryBackoff: true })
    // A mail that was due while the app was down is sent when it starts.
    await boss.schedule('digest', cron, null, { tz: timeZone, missed: 'once' })
    const options = { pollingIntervalSeconds: 30, includeMetadata: true } as const
    await boss.work('digest', options, ([job]) => sendDigest(database, send, job))
  } catch (error) {
    await stop().catch(console.error)
    throw error
  }
  return { handlers: { '*': recordItem }, stop }
}

/** Sends what is due now, such as for a first try. Sends nothing if nothing has changed. */
export async function sendDigest(
  database: Database,
  send: SendMail,
  { retryCount = 0, retryLimit = Infinity } = {},
): Promise<void> {
  // A retry sends the same mail again. What came meanwhile waits for the next one.
  if (retryCount === 0 || (await readMail(database)).length === 0) await planMail(database)
  const failures: unknown[] = []
  // Also mails of earlier runs that could not be sent. One that is rejected again holds up no other.
  for (const mail of await readMail(database)) {
    try {
      await send({ ...renderMail(mail), idempotencyKey: `digest/${mail.id}` })
      await endMail(database, mail.id, 'sent_at')
    } catch (error) {
      failures.push(error)
      if (retryCount < retryLimit) continue
      await endMail(database, mail.id, 'given_up_at')
      console.error(`The mail digest/${mail.id} was given up.`, error)
    }
  }
  if (failures.length > 0) throw new Error(`Mails were not sent. ${failures.join(' ')}`)
}
