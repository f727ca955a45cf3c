import type { HealthProblem } from '../admin/problems.ts'
import { fixOf } from './rules.ts'
import { tellOne, type Alert, type Telling } from './tell-alerts.ts'

export type UnstoredAlerts = ReturnType<typeof createUnstoredAlerts>

/** A problem that this process sees while alerts cannot be stored. */
interface Held {
  checks: number
  opened: Alert | undefined
}

/** One check may meet a restart of the database. */
const checksToOpen = 2

/**
 * Creates the alerts of one process for a database that cannot store any: it is down, read-only or
 * full. Each process notifies for itself, once when the second check in a row fails, and once when
 * the problem is over.
 */
export function createUnstoredAlerts() {
  const held = new Map<string, Held>()

  return {
    async tell(
      telling: Telling & { source: string },
      problems: readonly HealthProblem[],
      isStored: boolean,
    ): Promise<void> {
      const found = new Set<string>(problems.map(({ code }) => code))
      for (const [code, { opened }] of held) {
        if (isStored || !found.has(code)) held.delete(code)
        // If it lasts, the stored alert reports its end.
        if (opened && !found.has(code)) {
          await tellOne(close(opened), telling).catch(telling.onError)
        }
      }
      if (isStored) return
      for (const problem of problems) await notice(problem, telling)
    },
  }

  async function notice(
    { code, message }: HealthProblem,
    telling: Telling & { source: string },
  ): Promise<void> {
    const { checks = 0, opened } = held.get(code) ?? {}
    held.set(code, { checks: checks + 1, opened })
    if (opened || checks + 1 < checksToOpen) return
    const alert = openAlert(code, message, telling.source)
    try {
      await tellOne(alert, telling)
      held.set(code, { checks: checks + 1, opened: alert })
    } catch (error) {
      telling.onError(error)
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
    fix: fixOf('problem'),
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
