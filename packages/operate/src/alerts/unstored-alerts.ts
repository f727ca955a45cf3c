import type { HealthProblem } from '@feed-receiver/inbox'
import { partsOfRule } from './rules.ts'
import { sendInTime, type Alert, type Sending } from './send-notifications.ts'

/** The alerts of one process for a database that cannot store any. */
export interface UnstoredAlerts {
  /** Notifies of problems that begin, unless `isStored`, and of those that have ended. */
  notify(
    sending: UnstoredSending,
    problems: readonly HealthProblem[],
    isStored: boolean,
  ): Promise<void>
}

/** A problem that this process sees while alerts cannot be stored. */
interface Held {
  checks: number
  opened: Alert | undefined
}

type UnstoredSending = Pick<Sending, 'notify' | 'onError'> & { source: string }

/** One check may meet a restart of the database. */
const checksToOpen = 2

/**
 * Creates the alerts of one process for a database that cannot store any: it is down, read-only or
 * full. Each process notifies for itself, once when the second check in a row fails, and once when
 * the problem is over.
 */
export function createUnstoredAlerts(): UnstoredAlerts {
  const held = new Map<string, Held>()

  return {
    async notify(sending, problems, isStored) {
      const found = new Set<string>(problems.map(({ code }) => code))
      for (const [code, { opened }] of held) {
        if (isStored || !found.has(code)) held.delete(code)
        // If it lasts, the stored alert reports its end.
        if (opened && !found.has(code)) {
          await sendInTime(close(opened), sending).catch(sending.onError)
        }
      }
      if (isStored) return
      for (const problem of problems) await notice(problem, sending)
    },
  }

  async function notice({ code, message }: HealthProblem, sending: UnstoredSending): Promise<void> {
    const { checks = 0, opened } = held.get(code) ?? {}
    held.set(code, { checks: checks + 1, opened })
    if (opened || checks + 1 < checksToOpen) return
    const alert = openAlert(code, message, sending.source)
    try {
      await sendInTime(alert, sending)
      held.set(code, { checks: checks + 1, opened: alert })
    } catch (error) {
      sending.onError(error)
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
