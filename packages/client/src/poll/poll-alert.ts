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

/** Tells of each thing once until it is over. */
export function createAlerts(onAlert: (alert: PollAlert) => void) {
  const raised = new Set<PollAlertCode>()
  return {
    raise(alert: PollAlert): void {
      if (raised.has(alert.code)) return
      raised.add(alert.code)
      onAlert(alert)
    },
    /** Lets the next alert of what is over be told again. */
    settle(isOver: (code: PollAlertCode) => boolean): void {
      for (const code of raised) if (isOver(code)) raised.delete(code)
    },
  }
}
