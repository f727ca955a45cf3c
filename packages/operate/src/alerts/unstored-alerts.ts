import type { HealthProblem } from '@feed-receiver/inbox'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { partsOfRule } from './rules.ts'
import { sendInTime, type Alert, type Sending } from './send-notifications.ts'

/** One check may meet a restart of the database. */
const checksToOpen = 2

/**
 * Creates the alerts of one process for a database that cannot store any: it is down, read-only or
 * full. Each process notifies for itself, once when the second check in a row fails, and once when
 * the problem is over. The function is called after each check, with its problems and whether the
 * alerts could be stored.
 */
export function createUnstoredAlerts({ notify, onError }: Omit<Sending, 'asOf'>) {
  /** In how many checks a problem was found, and its alert once that was sent. */
  const held = new Map<string, { checks: number; opened: Alert | undefined }>()

  return async (
    { source }: InboxStore,
    problems: readonly HealthProblem[],
    isStored: boolean,
  ): Promise<void> => {
    const found = new Set<string>(problems.map(({ code }) => code))
    for (const [code, { opened }] of held) {
      if (isStored || !found.has(code)) held.delete(code)
      // If it lasts, the stored alert reports its end.
      if (opened && !found.has(code)) await sendInTime(close(opened), notify).catch(onError)
    }
    if (isStored) return
    for (const problem of problems) await notice(problem, source)
  }

  async function notice({ code, message }: HealthProblem, source: string): Promise<void> {
    const { checks = 0, opened } = held.get(code) ?? {}
    held.set(code, { checks: checks + 1, opened })
    if (opened || checks + 1 < checksToOpen) return
    const alert = openAlert(code, message, source)
    try {
      await sendInTime(alert, notify)
      held.set(code, { checks: checks + 1, opened: alert })
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
