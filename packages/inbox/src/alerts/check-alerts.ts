import { checkHealth } from '../admin/health.ts'
import type { WatchedContext } from '../admin/health.ts'
import { reportTo } from '../report-to.ts'
import { judgeAlerts } from './judge-alerts.ts'
import { readFacts } from './read-facts.ts'
import { settleRules, type AlertRuleOptions } from './settle-rules.ts'
import { tellAlerts, type Notify } from './tell-alerts.ts'
import type { UnstoredAlerts } from './unstored-alerts.ts'

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

export interface AlertedContext extends WatchedContext {
  unstored: UnstoredAlerts
}

/**
 * Checks once: evaluates the rules, opens and closes alerts, and sends pending notifications. If the
 * database fails, it notifies of what this process knows, and rejects. Errors: `bad_option`.
 */
export async function checkAlerts(
  context: AlertedContext,
  options: CheckAlertsOptions,
): Promise<void> {
  const { notify, asOf, onError } = options
  const { rules, limits } = settleRules(options.rules)
  // The health is that of this moment.
  const { problems } = asOf ? { problems: [] } : await checkHealth(async () => context)
  const telling = { notify, asOf, onError: reportTo(onError) }
  const isRuleOn = rules.some(({ name, isOn }) => name === 'problem' && isOn)
  const tellUnstored = (isStored: boolean) =>
    context.unstored.tell(
      { ...telling, source: context.source },
      isRuleOn ? problems : [],
      isStored,
    )
  try {
    const facts = { ...(await readFacts(context, limits, asOf)), problems }
    const isChanged = await judgeAlerts(context, rules, facts)
    if (isChanged || facts.isUntold) await tellAlerts(context, telling)
  } catch (error) {
    await tellUnstored(false)
    throw error
  }
  await tellUnstored(true)
}
