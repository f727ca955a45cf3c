import type { Database } from '@feed-receiver/database'
import type { createClock } from '../state/clock.ts'
import type { OnPublish } from '../state/service-event.ts'
import type { createRequestJournal } from '../state/request-journal.ts'
import type { createCharging } from './charging.ts'

/** How the sandbox decides what the interface leaves open, until somebody changes it. */
export interface Behaviour {
  /** What nextCursor of a first page leads to: what comes after it, or all history. */
  firstCursor: 'tail' | 'replay'
  /** Whether a changed event takes a new place in the feed, or is changed where it is. */
  moveChanged: boolean
}

export interface Context {
  database: Database
  clock: ReturnType<typeof createClock>
  behaviour: Behaviour
  journal: ReturnType<typeof createRequestJournal>
  chargeRequest: ReturnType<typeof createCharging>
  /** What takes part in the publication of events; add to it before the sandbox listens. */
  onPublish: OnPublish[]
  cursorKey: Buffer
  /** Makes the references of account events. */
  referenceKey: Buffer
  /** The token of the control page. */
  session: string
  /** Hosts beside loopback that the control page and /mcp answer to. */
  allowedHosts: readonly string[]
  /** Where the manifest for agents is. */
  manifestPath: string
  /** How many days history covers; 0 for none. */
  historyDays: number
  /** Cut to the full hour. @default now, by the sandbox's clock */
  historyEndsAt?: Date
  /** What the composer draws from. */
  seed: string
  /** Where it is reached, once it listens. */
  baseUrl: () => string
  onError: (error: unknown) => void
}
