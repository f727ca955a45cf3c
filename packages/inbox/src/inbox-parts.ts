import type { InboxHealth } from './operate/check-health.ts'
import type { Place } from './queue/queue.ts'

/** What several inboxes under one roof need of each, and nobody else. */
export interface InboxParts {
  isOrdered: boolean
  /** What is open while it runs. Errors: `not_running`. */
  whenRunning: () => Promise<Place>
  roof: Roof
}

export type Roof = ReturnType<typeof createRoof>

/** What an inbox measures as its health: its own, or that of all under the same roof. */
export function createRoof(ownHealth: () => Promise<InboxHealth>) {
  let health = ownHealth
  return {
    ownHealth,
    health: () => health(),
    /** Gauges have nothing but the source to tell them apart, which all shards share. */
    standUnder(shared: () => Promise<InboxHealth>): void {
      health = shared
    },
  }
}

const known = new WeakMap<object, InboxParts>()

/** Remembers the parts of an inbox, and gives the inbox. */
export function withParts<Inbox extends object>(inbox: Inbox, parts: InboxParts): Inbox {
  known.set(inbox, parts)
  return inbox
}

/** The parts of an inbox that `createInbox` made; undefined for anything else. */
export function partsOf(inbox: object): InboxParts | undefined {
  return known.get(inbox)
}
