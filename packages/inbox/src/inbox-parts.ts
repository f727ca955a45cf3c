import type { HealthOptions, InboxHealth } from './admin/health.ts'
import type { InboxContext } from './context.ts'

/** The parts of an inbox that a sharded inbox needs. */
export interface InboxParts {
  isOrdered: boolean
  /** Resolves with the open parts while it runs. Errors: `not_running`. */
  whenRunning: () => Promise<InboxContext>
  roof: Roof
}

export type Roof = ReturnType<typeof createRoof>

type Health = (options?: HealthOptions) => Promise<InboxHealth>

/** The health that an inbox measures: its own, or that of the sharded inbox. */
export function createRoof(ownHealth: Health) {
  let health = ownHealth
  return {
    ownHealth,
    health: () => health(),
    /** Gauges are told apart only by the source, which all shards share. */
    standUnder(shared: Health): void {
      health = shared
    },
  }
}

const known = new WeakMap<object, InboxParts>()

/** Remembers the parts of an inbox, and returns the inbox. */
export function withParts<Inbox extends object>(inbox: Inbox, parts: InboxParts): Inbox {
  known.set(inbox, parts)
  return inbox
}

/** The parts of an inbox from `createInbox`; undefined for anything else. */
export function partsOf(inbox: object): InboxParts | undefined {
  return known.get(inbox)
}
