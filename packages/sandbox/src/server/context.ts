import type { Database } from '@feed-receiver/database'
import type { Behaviour, SandboxSettings } from '../options.ts'
import type { Deliverer } from '../state/delivery.ts'
import type { RequestJournal } from '../state/request-journal.ts'
import type { Vault } from '../state/vault.ts'
import type { ChargeRequest } from './charging.ts'

type Settings = Omit<SandboxSettings, 'database' | 'key' | keyof Behaviour>

export interface Context extends Settings {
  database: Database
  behaviour: Behaviour
  journal: RequestJournal
  chargeRequest: ChargeRequest
  vault: Vault
  /** The codes that still open the control page. */
  openCodes: Set<string>
  deliverer: Deliverer
  cursorKey: Buffer
  /** Makes the references of account events. */
  referenceKey: Buffer
  /** Its URL, once it listens. */
  baseUrl: () => string
}
