import { isError } from '@feed-receiver/core'
import { z } from 'zod'
import { apiFaults, createApiFault, newApiFault } from '../faults/api-faults.ts'
import { behaviour } from '../options.ts'
import { conflict, found, missing, Refusal } from '../server/refusals.ts'
import {
  accountChange,
  changeAccount,
  createAccount,
  listAccounts,
  newAccount,
} from '../state/accounts.ts'
import { createApiKey, listApiKeys, newApiKey, revokeApiKey } from '../state/api-keys.ts'
import { clockMove } from '../state/clock.ts'
import { page } from '../state/fields.ts'
import { layOver } from '../state/service-event.ts'
import { listRequests } from '../state/request-journal.ts'
import { action, noFaults, numbered, read } from './action.ts'
import { choices } from './choices.ts'
import { exportSandbox, resetSandbox } from './history.ts'

export const settingChanges = behaviour.partial()

/**
 * Actions on the clock, the settings, accounts and keys, faults of the API, and the whole sandbox.
 */
export const serviceActions = {
  readClock: read(({ clock }) => clock.read()),
  moveClock: action(
    clockMove,
    async ({ clock }, move) => {
      try {
        return await clock.move(move)
      } catch (error) {
        if (!isError(error) || error.name !== 'RangeError') throw error
        throw new Refusal('bad_parameter', { detail: error.message })
      }
    },
    { refuseStrict: () => 'The clock of a strict sandbox shows real time and cannot be moved.' },
  ),

  readSettings: read(async (context) => ({ ...context.behaviour })),
  // In place, because every part of the sandbox has a reference to it.
  changeSettings: action(settingChanges, async ({ behaviour: present }, given) => ({
    ...Object.assign(present, layOver(present, given)),
  })),

  listAccounts: read(({ database }) => listAccounts(database)),
  createAccount: action(newAccount, async ({ database }, account): Promise<void> => {
    if (!(await createAccount(database, account))) throw conflict('account_taken')
  }),
  changeAccount: action(accountChange, async ({ database }, change) =>
    found(await changeAccount(database, change), 'account'),
  ),

  listKeys: read(({ database }) => listApiKeys(database)),
  createKey: action(newApiKey, async ({ database }, key) =>
    found(await createApiKey(database, key), 'account'),
  ),
  revokeKey: action(numbered, async ({ database }, { id }): Promise<void> => {
    if (!(await revokeApiKey(database, id))) throw missing('key')
  }),

  listApiFaults: read(({ database }) => apiFaults.list(database)),
  createApiFault: action(
    newApiFault,
    ({ database }, rule) => createApiFault(database, rule),
    noFaults,
  ),
  deleteApiFault: action(numbered, ({ database }, { id }) => apiFaults.delete(database, id)),

  listRequests: action(page, async ({ journal, database }, given) => {
    await journal.settle()
    return await listRequests(database, given)
  }),
  readChoices: read(async () => choices),
  export: read(exportSandbox),
  reset: action(z.strictObject({}), async (context): Promise<void> => {
    await context.journal.settle()
    await resetSandbox(context)
  }),
}
