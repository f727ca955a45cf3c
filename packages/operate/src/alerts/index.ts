import { isRuleName, ruleTable, type AlertRuleName } from './rules.ts'

export { createAlerts } from './create-alerts.ts'
export type { Alerts, AlertsOptions, CheckAlertsOptions } from './create-alerts.ts'
export { alertTables } from './tables.ts'
export type { AlertRow, ListAlertsOptions } from './list-alerts.ts'
export type { AlertRuleName } from './rules.ts'
export type { AlertRuleOptions } from './resolve-rules.ts'
export type { Alert, Notify } from './send-notifications.ts'
export { toStderr } from './to-stderr.ts'
export { toSlack, toWebhook } from './to-webhook.ts'
export type { WebhookOptions } from './to-webhook.ts'
export type { OperateError, OperateErrorCode } from '../errors.ts'

/** An alert rule, with texts for people. */
export interface AlertRule {
  name: AlertRuleName
  /** Whether the rule is on by default. */
  isOn: boolean
  /** The rule's settings with their defaults. */
  settings: Readonly<Record<string, number>>
  /** The message of an opening alert, with `{names}` as placeholders for values. */
  message: string
  /** How to fix the problem, in one line. */
  fix: string
}

/** All rules with their texts, in the order in which a check evaluates them. */
export const alertRules: readonly AlertRule[] = Object.keys(ruleTable)
  .filter(isRuleName)
  .map((name) => {
    const { isOn, settings, message, fix } = ruleTable[name]
    return { name, isOn, settings, message, fix }
  })
