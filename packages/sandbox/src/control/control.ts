import type { ServiceAccountEvent } from '../state/account-event-schema.ts'
import {
  changeAccountEvent,
  composeAccountEvent,
  type AccountEventChange,
  type AccountEventDraft,
} from '../account-events/compose-account-event.ts'
import {
  changeAccount,
  createAccount,
  listAccounts,
  type Account,
  type AccountChanges,
} from '../state/accounts.ts'
import type { ClockReading } from '../state/clock.ts'
import type { Behaviour, Context } from '../server/context.ts'
import { findDetailedEvent } from '../events/detailed-event.ts'
import type { ServiceEvent } from '../state/event-schema.ts'
import { findNewestEvents } from '../events/find-events.ts'
import {
  createApiFault,
  deleteApiFault,
  listApiFaults,
  type ApiFaultRule,
  type NewApiFault,
} from '../faults/api-faults.ts'
import { changeEvent, type EventChange } from '../events/change-event.ts'
import { composeEvent, type EventDraft } from '../events/compose-event.ts'
import { listRequests, type KeptRequest } from '../state/request-journal.ts'
import { createApiKey, listApiKeys, revokeApiKey, type ApiKey } from '../state/api-keys.ts'
import { missing } from '../server/missing.ts'
import { Refusal } from '../server/refusals.ts'
import type { WebhookControl } from './webhook-control.ts'
import { exportSandbox, type SandboxExport } from './export.ts'
import { resetSandbox } from './reset.ts'
import { changeSettings, type SettingChanges } from './settings.ts'

/** What the control page can do, as functions. */
export interface Control extends WebhookControl {
  readClock(): Promise<ClockReading>
  moveClock(move: ClockMove): Promise<ClockReading>

  /** How the sandbox decides what the interface leaves open. */
  readSettings(): Promise<Behaviour>
  /** Changes what is given, for this process and until it stops. */
  changeSettings(changes: SettingChanges): Promise<Behaviour>

  listAccounts(): Promise<Account[]>
  /** @throws Refusal `conflict` where the id is taken. */
  createAccount(account: { id: string; name: string }): Promise<void>
  changeAccount(change: AccountChanges & { id: string }): Promise<Account>

  listKeys(): Promise<ApiKey[]>
  /** The key's text is in the answer and never again. */
  createKey(key: { accountId: string; name: string }): Promise<ApiKey & { key: string }>
  revokeKey(key: { id: number }): Promise<void>

  /** Publishes an event now; what is left out is made up. */
  composeEvent(draft?: EventDraft): Promise<ServiceEvent>
  changeEvent(change: EventChange): Promise<ServiceEvent>
  /** As they are now, the newest place in the feed first. */
  listEvents(page?: {
    before?: number | undefined
    limit?: number | undefined
  }): Promise<(ServiceEvent & { position: number })[]>
  /** With the timeline of its incident; undefined where there is no such event. */
  findEvent(event: { id: string }): Promise<ServiceEvent | undefined>
  composeAccountEvent(
    draft: AccountEventDraft & { accountId: string },
  ): Promise<ServiceAccountEvent>
  changeAccountEvent(change: AccountEventChange): Promise<ServiceAccountEvent>

  /** Has an address of the API do something wrong, `times` times or until the rule is removed. */
  createApiFault(rule: NewApiFault): Promise<ApiFaultRule>
  listApiFaults(): Promise<ApiFaultRule[]>
  deleteApiFault(rule: { id: number }): Promise<void>

  /** The clock, the accounts, and what was published; see `SandboxExport`. */
  export(): Promise<SandboxExport>
  /**
   * Deletes events, deliveries and journals, fills the feed with its history again, and begins new
   * allowances; accounts, keys, destinations, fault rules and the clock stay.
   */
  reset(): Promise<void>

  /** The newest requests first. */
  listRequests(page?: {
    before?: number | undefined
    limit?: number | undefined
  }): Promise<KeptRequest[]>
}

export type ClockMove =
  | { to: 'shift' | 'advance'; byMs: number }
  | { to: 'freeze'; at?: string | undefined }
  | { to: 'unfreeze' | 'reset' }

export function createControl(context: Context, webhooks: WebhookControl): Control {
  const { database, clock, journal } = context
  return {
    ...webhooks,

    readClock: () => clock.read(),
    moveClock(move) {
      if (move.to === 'shift') return clock.shift(move.byMs)
      if (move.to === 'advance') return clock.advance(move.byMs)
      if (move.to === 'freeze') return clock.freeze(move.at ? new Date(move.at) : undefined)
      return move.to === 'unfreeze' ? clock.unfreeze() : clock.reset()
    },

    readSettings: async () => ({ ...context.behaviour }),
    changeSettings: async (changes) => changeSettings(context, changes),

    listAccounts: () => listAccounts(database),
    async createAccount(account) {
      if (!(await createAccount(database, account))) throw takenAccount()
    },
    async changeAccount({ id, ...changes }) {
      const changed = await changeAccount(database, id, changes)
      if (!changed) throw missing('account')
      return changed
    },

    listKeys: () => listApiKeys(database),
    async createKey(key) {
      const made = await createApiKey(database, key)
      if (!made) throw missing('account')
      return made
    },
    async revokeKey({ id }) {
      if (!(await revokeApiKey(database, id))) throw missing('key')
    },

    composeEvent: (draft = {}) => composeEvent(context, draft),
    changeEvent: (change) => changeEvent(context, change),
    listEvents: (page) => findNewestEvents(database, page),
    findEvent: ({ id }) => findDetailedEvent(database, id),
    composeAccountEvent: ({ accountId, ...draft }) =>
      composeAccountEvent(context, accountId, draft),
    changeAccountEvent: (change) => changeAccountEvent(context, change),

    createApiFault: (rule) => createApiFault(database, rule),
    listApiFaults: () => listApiFaults(database),
    async deleteApiFault({ id }) {
      if (!(await deleteApiFault(database, id))) throw missing('fault')
    },

    export: () => exportSandbox(context),
    async reset() {
      await journal.settle()
      await resetSandbox(context, context.history)
    },

    async listRequests(page) {
      await journal.settle()
      return await listRequests(database, page)
    },
  }
}

function takenAccount(): Refusal {
  return new Refusal('conflict', {
    detail: 'There is an account of this id already. Choose another id, or change that account.',
  })
}
