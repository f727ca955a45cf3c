import { repeat } from '../repeat.ts'
import { checkOption, checkTime } from '../errors.ts'
import { reportTo } from '../report-to.ts'
import type { CheckAlertsOptions } from './check-alerts.ts'
import { settleRules } from './settle-rules.ts'
import type { Notify } from './tell-alerts.ts'

export interface AlertsOptions extends Omit<CheckAlertsOptions, 'notify' | 'asOf'> {
  /** The inbox to check. It must be running. */
  inbox: { readonly alerts: { check(options: CheckAlertsOptions): Promise<void> } }
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
}

export type Alerts = ReturnType<typeof createAlerts>

/**
 * Watches an inbox and notifies people of problems: once when a problem begins and once when it is
 * over, however many processes watch. Does nothing before `start` or `check`. Errors: `InboxError`
 * `bad_option`.
 */
export function createAlerts({
  inbox,
  rules,
  notify,
  intervalMs = 60_000,
  onError,
}: AlertsOptions) {
  checkTime('intervalMs', intervalMs)
  checkOption(intervalMs >= 100, 'intervalMs: use at least 100 milliseconds.')
  const notifies = typeof notify === 'function' ? [notify] : notify
  checkOption(notifies.length > 0, 'notify: pass at least one function that sends alerts.')
  // Validate here and not at the first check, so a mistake stops the app's start.
  settleRules(rules)
  const report = reportTo(onError)
  const settings = { rules, notify: tellAll(notifies), onError: report }
  const check = () => inbox.alerts.check(settings)
  let checking: { stopping: AbortController; ended: Promise<void> } | undefined

  return {
    /** Checks immediately, and then at each interval. Safe to call again. */
    async start(): Promise<void> {
      if (checking) return
      const stopping = new AbortController()
      const options = { signal: stopping.signal, onError: report }
      checking = { stopping, ended: repeat(intervalMs, check, options) }
    },
    /** Waits for the check in progress, and stops. Safe to call again. */
    stop,
    [Symbol.asyncDispose]: stop,
    /** Checks once, without `start`: for schedulers. Rejects if the database fails. */
    check,
  }

  async function stop(): Promise<void> {
    const current = checking
    current?.stopping.abort()
    await current?.ended
    if (checking === current) checking = undefined
  }
}

/** Notifies several targets. If one fails, the retry calls only those not yet notified. */
function tellAll(notifies: readonly Notify[]): Notify {
  const told = new Map<string, Set<Notify>>()
  return async (alert, options) => {
    const { idempotencyKey: key } = alert
    const done = told.get(key) ?? new Set()
    told.set(key, done)
    const tellOne = async (notify: Notify) => {
      if (done.has(notify)) return
      await notify(alert, options)
      done.add(notify)
    }
    const results = await Promise.allSettled(notifies.map(tellOne))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    told.delete(key)
  }
}
