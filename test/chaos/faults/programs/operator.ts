/**
 * The operator of an inbox: pauses and resumes it, reprocesses handled events, and gets its alerts. It
 * retries each order until the database allows it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { InboxError } from '@feed-receiver/inbox'
import { alertRules, createAlerts } from '@feed-receiver/operate/alerts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startInbox } from './start-inbox.ts'

export type OperatorOrder =
  | { pause: string[] | null }
  | { resume: string[] | null }
  | { reprocessBefore: string; since?: string }
  | { pruneBytesAfterDays: number }
  | { checkAlertsAt: string; dieSending?: 'before' | 'after' }

const { inbox, database } = await startInbox(readSettings<MemberSettings>())
takeOrders<OperatorOrder>(async (order) => {
  while (!(await obey(order))) await delay(100)
})
onTermination(async () => {
  await inbox.stop()
  await database.close()
})
reportReady()

async function obey(order: OperatorOrder): Promise<boolean> {
  try {
    if ('pause' in order) await pause(order.pause)
    if ('resume' in order) await inbox.resume({ types: order.resume ?? undefined })
    if ('reprocessBefore' in order) await reprocess(order)
    if ('pruneBytesAfterDays' in order) await prune(order.pruneBytesAfterDays)
    if ('checkAlertsAt' in order) await checkAlerts(order)
    return true
  } catch (error) {
    console.log(`cannot ${JSON.stringify(order)}: ${String(error)}`)
    return false
  }
}

async function pause(types: string[] | null): Promise<void> {
  try {
    await inbox.pause({ types: types ?? undefined, reason: 'a fault', force: true })
  } catch (error) {
    // Paused by the previous process, which was killed during the call.
    if (!(error instanceof InboxError && error.code === 'already_paused')) throw error
  }
}

async function reprocess({
  reprocessBefore: handledBefore,
  since,
}: Extract<OperatorOrder, { reprocessBefore: string }>): Promise<void> {
  const filter = { state: 'done', since } as const
  const { reprocessed } = await inbox.entries.reprocess({ filter }, { handledBefore })
  console.log(`reprocessed ${reprocessed}`)
}

async function prune(bytesAfterDays: number): Promise<void> {
  const { emptied } = await inbox.prune({ bytesAfterDays })
  console.log(`pruned ${emptied}`)
}

/** Checks only for long pauses, and writes notifications to its own table. */
async function checkAlerts({
  checkAlertsAt,
  dieSending,
}: Extract<OperatorOrder, { checkAlertsAt: string }>): Promise<void> {
  const rules = Object.fromEntries(alertRules.map(({ name }) => [name, name === 'paused']))
  const alerts = createAlerts({
    inbox,
    rules,
    async notify({ idempotencyKey, subject }) {
      if (dieSending === 'before') process.kill(process.pid, 'SIGKILL')
      await database.query('insert into told (key, subject) values ($1, $2)', [
        idempotencyKey,
        subject,
      ])
      if (dieSending === 'after') process.kill(process.pid, 'SIGKILL')
    },
  })
  await alerts.check({ asOf: new Date(checkAlertsAt) })
}
