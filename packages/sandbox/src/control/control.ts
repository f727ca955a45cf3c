import {
  changeAccount,
  createAccount,
  listAccounts,
  type Account,
  type AccountChanges,
} from '../accounts/accounts.ts'
import type { ClockReading } from '../clock/clock.ts'
import type { Context } from '../context.ts'
import { listRequests, type KeptRequest } from '../journal/request-journal.ts'
import { createApiKey, listApiKeys, revokeApiKey, type ApiKey } from '../keys/api-keys.ts'
import { Refusal } from '../server/refusals.ts'

/** What the control page can do, as functions. */
export interface Control {
  readClock(): Promise<ClockReading>
  moveClock(move: ClockMove): Promise<ClockReading>

  listAccounts(): Promise<Account[]>
  createAccount(account: { id: string; name: string }): Promise<void>
  changeAccount(change: AccountChanges & { id: string }): Promise<Account>

  listKeys(): Promise<ApiKey[]>
  /** The key's text is in the answer and never again. */
  createKey(key: { accountId: string; name: string }): Promise<ApiKey & { key: string }>
  revokeKey(key: { id: number }): Promise<void>

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

export function createControl({ database, clock, journal }: Context): Control {
  return {
    readClock: () => clock.read(),
    moveClock(move) {
      if (move.to === 'shift') return clock.shift(move.byMs)
      if (move.to === 'advance') return clock.advance(move.byMs)
      if (move.to === 'freeze') return clock.freeze(move.at ? new Date(move.at) : undefined)
      return move.to === 'unfreeze' ? clock.unfreeze() : clock.reset()
    },

    listAccounts: () => listAccounts(database),
    createAccount: (account) => createAccount(database, account),
    async changeAccount({ id, ...changes }) {
      return (await changeAccount(database, id, changes)) ?? missing('account')
    },

    listKeys: () => listApiKeys(database),
    async createKey(key) {
      const accounts = await listAccounts(database)
      if (!accounts.some(({ id }) => id === key.accountId)) missing('account')
      return await createApiKey(database, key)
    },
    async revokeKey({ id }) {
      if (!(await revokeApiKey(database, id))) missing('key that works')
    },

    async listRequests(page) {
      await journal.settle()
      return await listRequests(database, page)
    },
  }
}

function missing(what: string): never {
  throw new Refusal('not_found', { detail: `There is no such ${what}.` })
}
