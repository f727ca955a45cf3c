import type { Place } from '../queue/queue.ts'
import { reportTo } from '../report-to.ts'
import { judgeAlerts } from './judge-alerts.ts'
import { readFacts } from './read-facts.ts'
import { settleRules, type AlertRuleOptions } from './settle-rules.ts'
import { tellAlerts, type Notify } from './tell-alerts.ts'

export interface CheckAlertsOptions {
  /**
   * Turns rules on or off and changes their settings: `{ silence: { hours: 6 }, dead: false }`. Use
   * the same value in every process that checks this inbox.
   * @default all but `silence`, with the settings in `alertRules`
   */
  rules?: AlertRuleOptions | undefined
  /** Called when an alert opens or closes. A call times out after 10 seconds. */
  notify: Notify
  /**
   * Called with failed notifications. A later check retries them.
   * @default process.emitWarning
   */
  onError?: ((error: unknown) => unknown) | undefined
  /**
   * The time to check at.
   * @default the database's current time
   */
  asOf?: Date | undefined
}

/**
 * Checks once: evaluates the rules, opens and closes alerts, and sends pending notifications.
 * Rejects if the database fails. Errors: `bad_option`.
 */
export async function checkAlerts(place: Place, options: CheckAlertsOptions): Promise<void> {
  const { notify, asOf, onError } = options
  const { rules, limits } = settleRules(options.rules)
  const facts = await readFacts(place, limits, asOf)
  const isChanged = await judgeAlerts(place, rules, facts)
  if (!isChanged && !facts.isUntold) return
  await tellAlerts(place, { notify, asOf, onError: reportTo(onError) })
}
