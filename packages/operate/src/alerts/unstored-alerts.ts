import type { HealthProblem } from '@feed-receiver/inbox'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { partsOfRule } from './rules.ts'
import { sendInTime, type Alert, type Sending } from './send-notifications.ts'

/** One check may meet a restart of the database. */
const checksToOpen = 2

/**
 * The alerts of one process for a database that cannot store any: it is down, read-only or full.
 * Each process notifies for itself, once when the second check in a row fails, and once when the
 * problem is over. Called after each check, with its problems and whether it could store alerts. A
 * failed notification is sent again by the next check.
 */
type NotifyUnstored = (
  store: Pick<InboxStore, 'source'>,
  problems: readonly HealthProblem[],
  isStored: boolean,
) => Promise<void>

export function createUnstoredAlerts({ notify, onError }: Omit<Sending, 'asOf'>): NotifyUnstored {
  /** In how many checks in a row each problem was found, and the alert that opened then. */
  const held = new Map<string, { checks: number; opened: Alert | undefined }>()
  /** The same alerts for each attempt to send them. */
  const unsent = new Set<Alert>()

  let notified = Promise.resolve()

  // In turn, so that no alert is sent twice, or after its end.
  return (...check) => (notified = notified.then(() => notifyAll(...check)))

  async function notifyAll(...[{ source }, problems, isStored]: Parameters<NotifyUnstored>) {
    const found = new Set<string>(problems.map(({ code }) => code))
    for (const [code, { opened }] of held) {
      if (!isStored && found.has(code)) continue
      held.delete(code)
      if (!opened) continue
      const isSent = !unsent.delete(opened)
      // If it lasts, the stored alert reports its end.
      if (isSent && !found.has(code)) unsent.add(close(opened))
    }
    if (!isStored) for (const problem of problems) notice(problem, source)
    for (const alert of unsent) await send(alert)
  }

  function notice({ code, message }: HealthProblem, source: string): void {
    const known = held.get(code)
    const checks = (known?.checks ?? 0) + 1
    const isDue = checks === checksToOpen
    const opened = isDue ? openAlert(code, message, source) : known?.opened
    if (isDue && opened) unsent.add(opened)
    held.set(code, { checks, opened })
  }

  async function send(alert: Alert): Promise<void> {
    try {
      await sendInTime(alert, notify)
      unsent.delete(alert)
    } catch (error) {
      onError(error)
    }
  }
}

function openAlert(code: string, message: string, source: string): Alert {
  const openedAt = new Date().toISOString()
  return {
    id: 0,
    rule: 'problem',
    subject: code,
    message,
    ...partsOfRule('problem'),
    openedAt,
    closedAt: null,
    state: 'open',
    source,
    idempotencyKey: `${source}/problem/${code}/${process.pid}/${openedAt}/open`,
  }
}

function close(opened: Alert): Alert {
  const idempotencyKey = opened.idempotencyKey.replace(/open$/, 'closed')
  return { ...opened, state: 'closed', closedAt: new Date().toISOString(), idempotencyKey }
}
