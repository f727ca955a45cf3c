import type { HealthProblem, InboxHealth } from '@feed-receiver/inbox'
import { readAlertInputs, type AlertLimits } from '@feed-receiver/inbox/internal'
import { type InboxContext } from '@feed-receiver/inbox/extend'
import type { ResolvedRule } from './resolve-rules.ts'
import { sendNotifications, type Notify } from './send-notifications.ts'
import type { UnstoredAlerts } from './unstored-alerts.ts'
import { readStoredAlerts, updateAlerts } from './update-alerts.ts'

export interface AlertCheck {
  rules: readonly ResolvedRule[]
  limits: AlertLimits
  health: () => Promise<InboxHealth>
  notify: Notify
  onError: (error: unknown) => void
  unstored: UnstoredAlerts
  asOf: Date | undefined
}

/**
 * Checks once: evaluates the rules, opens and closes alerts, and sends pending notifications. If the
 * database fails, it notifies of what this process knows, and rejects.
 */
export async function checkAlerts(context: InboxContext, check: AlertCheck): Promise<void> {
  const { rules, limits, health, notify, onError, unstored, asOf } = check
  // The health is that of this moment.
  const problems = asOf ? [] : ownProblems(await health())
  const isRuleOn = rules.some(({ name, isOn }) => name === 'problem' && isOn)
  const notifyUnstored = (isStored: boolean) =>
    unstored.notify({ notify, onError, source: context.source }, isRuleOn ? problems : [], isStored)
  try {
    const { known, isUnnotified, missedAfter } = await readStoredAlerts(context)
    const inputs = await readAlertInputs(context, limits, { asOf, missedAfter })
    const isChanged = await updateAlerts(context, rules, { known, inputs: { ...inputs, problems } })
    if (isChanged || isUnnotified) await sendNotifications(context, { notify, onError, asOf })
  } catch (error) {
    await notifyUnstored(false)
    throw error
  }
  await notifyUnstored(true)
}

/** What only the health finds. Due entries have a rule of their own. */
function ownProblems({ problems, warnings }: InboxHealth): HealthProblem[] {
  return [
    ...problems.filter(({ code }) => code !== 'nothing_claimed'),
    ...warnings.filter(({ code }) => code === 'pull_silent'),
  ]
}
