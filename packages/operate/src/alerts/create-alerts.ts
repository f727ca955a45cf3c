import type { HealthProblem, Inbox, InboxHealth } from '@feed-receiver/inbox'
import { extendInbox, withContext, type InboxStore } from '@feed-receiver/inbox/extend'
import { createLifecycle, readAlertInputs, repeat, reportTo } from '@feed-receiver/inbox/internal'
import { checkOption } from '../errors.ts'
import { listAlerts, type AlertRow, type ListAlertsOptions } from './list-alerts.ts'
import { resolveRules, type AlertRuleOptions } from './resolve-rules.ts'
import { sendNotifications, type Notify } from './send-notifications.ts'
import { alertTableOf, alertTables } from './tables.ts'
import { createUnstoredAlerts } from './unstored-alerts.ts'
import { missedAfterSql, updateAlerts } from './update-alerts.ts'

export interface AlertsOptions {
  /** The inbox to check. It must be running at each check. */
  inbox: Parameters<typeof extendInbox>[0] & Pick<Inbox<never>, 'health'>
  /**
   * Turns rules on or off and changes their settings: `{ silence: { hours: 6 }, dead: false }`. Use
   * the same value in every process that checks this inbox.
   * @default all but `silence`, with the settings in `alertRules`
   */
  rules?: AlertRuleOptions | undefined
  /**
   * Receives openings and closings, each within 10 seconds: a function, one of `toStderr`,
   * `toWebhook` and `toSlack`, or an array of them.
   */
  notify: Notify | readonly Notify[]
  /**
   * The interval between two checks, in milliseconds.
   * @default 60_000
   */
  intervalMs?: number | undefined
  /**
   * Called with failed notifications, which a later check retries, and with failed checks.
   * @default process.emitWarning
   */
  onError?: ((error: unknown) => unknown) | undefined
}

export interface CheckAlertsOptions {
  /**
   * The time to check at, without the problems of the health.
   * @default the database's current time
   */
  asOf?: Date | undefined
}

/** Checks the problems of one inbox against the rules, and keeps its alerts. */
export interface Alerts extends AsyncDisposable {
  /** Checks immediately, and then at each interval. Waits for a stop in progress. Safe to call again. */
  start(): Promise<void>
  /** Waits for the check in progress, and stops. Safe to call again. */
  stop(): Promise<void>
  /**
   * Checks once, without `start`: for schedulers. Opens and closes alerts, and sends notifications.
   * Rejects if the database fails.
   */
  check(options?: CheckAlertsOptions): Promise<void>
  /** Lists the open alerts, then the closed ones, each latest first. Errors: `bad_option`. */
  list(options?: ListAlertsOptions): Promise<AlertRow[]>
}

/** How long closed alerts are stored. */
const closedDays = 90

/**
 * Watches an inbox and notifies people of problems: once when a problem begins and once when it is
 * over, however many processes watch. Checks nothing before `start` or `check`. Call it before
 * `inbox.start()`, which migrates its table. Workers with it delete alerts that closed more than 90
 * days ago. Errors: `OperateError` `bad_option`.
 */
export function createAlerts(options: AlertsOptions): Alerts {
  const { inbox, notify, intervalMs = 60_000, onError } = options
  const isTime = typeof intervalMs === 'number' && intervalMs >= 100 && intervalMs < 2 ** 31
  checkOption(isTime, 'intervalMs: use a number of milliseconds, 100 or more.')
  const channels = typeof notify === 'function' ? [notify] : notify
  checkOption(channels.length > 0, 'notify: pass at least one function that sends alerts.')
  // Validate here and not at the first check, so a mistake stops the app's start.
  const { rules, limits } = resolveRules(options.rules)
  extendInbox(inbox, { ...alertTables, maintain: deleteOld })
  const report = reportTo(onError)
  const sending = { notify: notifyAll(channels), onError: report }
  const notifyUnstored = createUnstoredAlerts(sending)
  const isProblemRuleOn = rules.some(({ name, isOn }) => name === 'problem' && isOn)
  const { start, stop } = createLifecycle(async () => {
    const stopping = new AbortController()
    const ended = repeat(intervalMs, () => check(), { signal: stopping.signal, onError: report })
    return {
      async close() {
        stopping.abort()
        await ended
      },
    }
  })

  return { start, stop, [Symbol.asyncDispose]: stop, check, list }

  async function check({ asOf }: CheckAlertsOptions = {}): Promise<void> {
    await withContext(inbox, async (context) => {
      // The health is that of this moment.
      const problems = asOf ? [] : ownProblems(await inbox.health())
      const unstored = isProblemRuleOn ? problems : []
      try {
        const missedAfter = missedAfterSql(context)
        const inputs = await readAlertInputs(context, limits, { asOf, missedAfter })
        const isUnnotified = await updateAlerts(context, rules, { ...inputs, problems })
        if (isUnnotified) await sendNotifications(context, { ...sending, asOf })
      } catch (error) {
        await notifyUnstored(context, unstored, false)
        throw error
      }
      await notifyUnstored(context, unstored, true)
    })
  }

  async function list(which?: ListAlertsOptions): Promise<AlertRow[]> {
    return await withContext(inbox, (context) => listAlerts(context, which))
  }
}

async function deleteOld(context: InboxStore): Promise<void> {
  await context.database.query(
    `delete from ${alertTableOf(context)}
     where source = $1 and closed_at < now() - interval '${closedDays} days'`,
    [context.source],
  )
}

/** Notifies several channels. If one fails, the retry calls only those not yet notified. */
function notifyAll(channels: readonly Notify[]): Notify {
  const notified = new Map<string, Set<Notify>>()
  return async (alert, options) => {
    const { idempotencyKey: key } = alert
    const done = notified.get(key) ?? new Set()
    notified.set(key, done)
    const notifyOne = async (notify: Notify) => {
      if (done.has(notify)) return
      await notify(alert, options)
      done.add(notify)
    }
    const results = await Promise.allSettled(channels.map(notifyOne))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    // One that was too slow is retried, and then skips the channels that have succeeded since.
    if (!options.signal.aborted) notified.delete(key)
  }
}

/** What only the health finds. Due entries have a rule of their own. */
function ownProblems({ problems, warnings }: InboxHealth): HealthProblem[] {
  return [
    ...problems.filter(({ code }) => code !== 'nothing_claimed'),
    ...warnings.filter(({ code }) => code === 'pull_silent'),
  ]
}
