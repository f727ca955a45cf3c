import type { ClientErrorCode } from '../errors.ts'

export type PollAlertCode =
  | ClientErrorCode
  /** The service did not take the cursor any more; reading began again from the newest events. */
  | 'cursor_lost'
  /** Something on a page is no event, and is in quarantine. */
  | 'unreadable_events'
  /** Pull brings what the rules should have pushed, and push is silent. */
  | 'probable_pause'

/** What a person should know, and what to do about it. */
export interface PollAlert {
  code: PollAlertCode
  message: string
}

export interface Alerts {
  raise(alert: PollAlert): void
  /** Lets the next alert of this code be told again. */
  settle(code: PollAlertCode): void
  /** Lets the next alert of every code but these be told again. */
  settleAllBut(...codes: PollAlertCode[]): void
}

/** Tells of each thing once until it is over. */
export function createAlerts(onAlert: (alert: PollAlert) => void): Alerts {
  const raised = new Set<PollAlertCode>()
  return {
    raise(alert) {
      if (raised.has(alert.code)) return
      raised.add(alert.code)
      onAlert(alert)
    },
    settle: (code) => raised.delete(code),
    settleAllBut(...codes) {
      for (const code of raised) if (!codes.includes(code)) raised.delete(code)
    },
  }
}
