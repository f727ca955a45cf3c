import type { Console, ConsoleOptions } from '@feed-receiver/console'
import type { Inbox } from '@feed-receiver/inbox'
import type { AlertReader } from './read-alerts.ts'

/**
 * The console of an inbox, with its alerts, and with tests that reproduce its events. Each package
 * is loaded only when it is needed.
 */
export async function makeConsole(
  inbox: Inbox,
  alerts: AlertReader,
  options: Omit<ConsoleOptions, 'inbox' | 'alerts' | 'reproduce'>,
): Promise<Console> {
  const { createConsole } = await import('@feed-receiver/console')
  const reproduceEvent = async (eventId: string) => {
    const { reproduce } = await import('@feed-receiver/operate/rehearse')
    return await reproduce(inbox, eventId)
  }
  return createConsole({ ...options, inbox, alerts: alerts.of(inbox), reproduce: reproduceEvent })
}
