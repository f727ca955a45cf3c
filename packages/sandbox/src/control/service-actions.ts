import { z } from 'zod'
import { createApiFault, listApiFaults, newApiFault } from '../faults/api-faults.ts'
import { deleteRule } from '../faults/rules.ts'
import { conflict, found, missing, Refusal } from '../server/refusals.ts'
import { accountId, changeAccount, createAccount, listAccounts } from '../state/accounts.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../state/api-keys.ts'
import { clockMove } from '../state/clock.ts'
import { plainText, page } from '../state/fields.ts'
import { layOver } from '../state/service-event.ts'
import { listRequests } from '../state/request-journal.ts'
import { action, noFaults, read } from './action.ts'
import { choices } from './choices.ts'
import { exportSandbox, resetSandbox } from './history.ts'

const name = plainText(100)
const limit = z.int().min(1).max(1_000_000_000)
const ruleId = z.strictObject({ id: z.int().min(1) })

export const settingChanges = z.strictObject({
  firstCursor: z
    .enum(['tail', 'replay'])
    .optional()
    .describe('What nextCursor of a first page leads to: what comes after it, or all history.'),
  moveChanged: z
    .boolean()
    .optional()
    .describe('Whether a changed event takes a new place in the feed.'),
})

/** The clock, the settings, accounts and keys, faults of the API, and the sandbox as a whole. */
export const serviceActions = {
  readClock: read("Reads the sandbox's own time.", ({ clock }) => clock.read()),
  moveClock: action({
    description: "Shifts, advances, freezes, unfreezes or resets the sandbox's own time.",
    input: clockMove,
    refuseStrict: () => 'The clock of a strict sandbox is real time.',
    async run({ clock }, move) {
      try {
        return await clock.move(move)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        throw new Refusal('bad_parameter', { detail: error.message })
      }
    },
  }),

  readSettings: read(
    'Reads how the sandbox decides what the interface leaves open.',
    async ({ behaviour }) => ({ ...behaviour }),
  ),
  changeSettings: action({
    description: 'Changes the given settings, for this process and until it stops.',
    input: settingChanges,
    // In place, since every part of the sandbox holds on to it.
    run: async ({ behaviour }, given) => ({
      ...Object.assign(behaviour, layOver(behaviour, given)),
    }),
  }),

  listAccounts: read('Lists the accounts with their features and limits.', ({ database }) =>
    listAccounts(database),
  ),
  createAccount: action({
    description:
      'Creates an account with the limits of the interface; `conflict` if its id is taken.',
    input: z.strictObject({ id: accountId, name }),
    async run({ database }, account): Promise<void> {
      if (await createAccount(database, account)) return
      throw conflict(
        'There is an account of this id already. Choose another id, or change that account.',
      )
    },
  }),
  changeAccount: action({
    description: 'Changes the name, Pro access, features or limits of an account.',
    input: z.strictObject({
      id: accountId,
      name: name.optional(),
      proActive: z.boolean().optional().meta({ title: 'Pro' }),
      decisionIntelligence: z.boolean().optional().meta({ title: 'Decision Intelligence' }),
      privateActivity: z.boolean().optional(),
      usageLimit: limit.optional().meta({ title: 'Requests in a month' }),
      burstLimit: limit.optional().meta({ title: 'Requests in a minute' }),
    }),
    run: async ({ database }, { id, ...changes }) =>
      found(await changeAccount(database, id, changes), 'account'),
  }),

  listKeys: read('Lists the API keys, revoked ones too, without their text.', ({ database }) =>
    listApiKeys(database),
  ),
  createKey: action({
    description: 'Creates an API key; only this answer has its text.',
    input: z.strictObject({ accountId: accountId.meta({ title: 'Account' }), name }),
    run: async ({ database }, key) => found(await createApiKey(database, key), 'account'),
  }),
  revokeKey: action({
    description: 'Revokes an API key from the next request on.',
    input: ruleId,
    async run({ database }, { id }): Promise<void> {
      if (!(await revokeApiKey(database, id))) throw missing('key')
    },
  }),

  listApiFaults: read('Lists the fault rules of the API.', ({ database }) =>
    listApiFaults(database),
  ),
  createApiFault: action({
    description:
      'Makes an address of the API fail, `times` times or until the rule is deleted; refuses a rule that could do nothing.',
    input: newApiFault,
    refuseStrict: () => noFaults,
    run: ({ database }, rule) => createApiFault(database, rule),
  }),
  deleteApiFault: action({
    description: 'Deletes a fault rule of the API.',
    input: ruleId,
    run: ({ database }, { id }) => deleteRule(database, 'api_fault', id),
  }),

  listRequests: action({
    description: 'Lists the newest requests, each with the reason if it was refused.',
    input: page,
    async run({ journal, database }, given) {
      await journal.settle()
      return await listRequests(database, given)
    },
  }),
  readChoices: read(
    'Reads what the control page offers: types, providers, states and faults.',
    async () => choices,
  ),
  export: read('Exports the clock, the accounts and what was published.', (context) =>
    exportSandbox(context),
  ),
  reset: action({
    description:
      'Deletes events, deliveries and journals, and begins again with history and new allowances; accounts, keys, destinations, fault rules and the clock stay.',
    input: z.strictObject({}),
    async run(context): Promise<void> {
      await context.journal.settle()
      await resetSandbox(context)
    },
  }),
}
