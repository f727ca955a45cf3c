import { ruleTable, type AlertRuleName } from './rules.ts'

export { createAlerts } from './create-alerts.ts'
export type { Alerts, AlertsOptions } from './create-alerts.ts'
export type { CheckAlertsOptions } from './check-alerts.ts'
export type { AlertRow, ListAlertsOptions } from './list-alerts.ts'
export type { AlertRuleName } from './rules.ts'
export type { AlertRuleOptions } from './settle-rules.ts'
export type { Alert, Notify } from './tell-alerts.ts'
export { toStderr } from './to-stderr.ts'
export { toSlack, toWebhook } from './to-webhook.ts'
export type { WebhookOptions } from './to-webhook.ts'

/** A rule as people read it. */
export interface AlertRule {
  name: AlertRuleName
  /** Whether it is on unless `rules` says otherwise. */
  isOn: boolean
  /** Its settings with their defaults. */
  settings: Readonly<Record<string, number>>
  /** What an alert says when it opens, with `{names}` in the places of values. */
  message: string
  /** What to do about it, in one line. */
  mend: string
}

/** All rules with their texts, in the order in which they are looked at. */
export const alertRules: readonly AlertRule[] = Object.values(ruleTable).map(
  ({ name, isOn, settings, message, mend }) => ({ name, isOn, settings, message, mend }),
)
