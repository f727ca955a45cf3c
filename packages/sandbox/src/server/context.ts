import type { Database } from '@feed-receiver/database'
import type { Behaviour, SandboxSettings } from '../options.ts'
import type { createClock } from '../state/clock.ts'
import type { OnPublish } from '../state/service-event.ts'
import type { createRequestJournal } from '../state/request-journal.ts'
import type { Vault } from '../state/vault.ts'
import type { createCharging } from './charging.ts'

type Settings = Omit<SandboxSettings, 'database' | 'key' | keyof Behaviour>

/** A sandbox, with its settings. */
export interface Context extends Settings {
  database: Database
  clock: ReturnType<typeof createClock>
  behaviour: Behaviour
  journal: ReturnType<typeof createRequestJournal>
  chargeRequest: ReturnType<typeof createCharging>
  vault: Vault
  /** Called within the publication of events. Add to it before the sandbox listens. */
  onPublish: OnPublish[]
  cursorKey: Buffer
  /** Makes the references of account events. */
  referenceKey: Buffer
  /** Its URL, once it listens. */
  baseUrl: () => string
}
