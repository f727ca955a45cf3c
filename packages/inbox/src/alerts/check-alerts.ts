import type { Place } from '../queue/queue.ts'
import { reportTo } from '../report-to.ts'
import { judgeAlerts } from './judge-alerts.ts'
import { readFacts } from './read-facts.ts'
import { settleRules, type AlertRuleOptions } from './settle-rules.ts'
import { tellAlerts, type Notify } from './tell-alerts.ts'

export interface CheckAlertsOptions {
  /**
   * Which rules are on, and their settings: `{ silence: { hours: 6 }, dead: false }`. Every process
   * that checks one inbox has to say the same.
   * @default all but `silence`, with the settings in `alertRules`
   */
  rules?: AlertRuleOptions | undefined
  /** Tells somebody of an opening or a closing, within 10 seconds. */
  notify: Notify
  /**
   * Told of notifications that failed; they are tried again by a later check.
   * @default process.emitWarning
   */
  onError?: ((error: unknown) => unknown) | undefined
  /**
   * The time at which to look.
   * @default that of the database
   */
  asOf?: Date | undefined
}

/**
 * Looks once: opens and closes alerts by what the rules find, and tells of what nobody has been told.
 * Rejects where the database fails. Errors: `bad_option`.
 */
export async function checkAlerts(place: Place, options: CheckAlertsOptions): Promise<void> {
  const { notify, asOf, onError } = options
  const { rules, limits } = settleRules(options.rules)
  const facts = await readFacts(place, limits, asOf)
  const isChanged = await judgeAlerts(place, rules, facts)
  if (!isChanged && !facts.isUntold) return
  await tellAlerts(place, { notify, asOf, onError: reportTo(onError) })
}
