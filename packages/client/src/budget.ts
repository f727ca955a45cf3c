import type { Usage } from '@feed-receiver/core/api'

/** The share of what is left of the month that polling at an even pace may use up. */
const share = 0.9

/**
 * How far apart polls have to be for the rest of the month's allowance to last, whoever else uses it
 * up. One poll a minute is 45 % of a month, so this is 0 or little until others take more.
 */
export function budgetIntervalMs(usage: Usage | null, nowMs: number): number {
  if (!usage) return 0
  const leftMs = Date.parse(usage.resetsAt) - nowMs
  if (!(leftMs > 0)) return 0
  const spendable = (usage.limit - usage.requests) * share
  return spendable < 1 ? leftMs : leftMs / spendable
}
