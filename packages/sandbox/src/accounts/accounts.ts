import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { action, read } from '../server/action.ts'
import { conflict, found } from '../server/rejections.ts'
import { plainText } from '../state/fields.ts'

export const accountIdSchema = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)

const limit = z.int().min(1).max(1_000_000_000)

const account = z.strictObject({
  id: accountIdSchema,
  name: plainText(100),
  proActive: z.boolean(),
  decisionIntelligence: z.boolean(),
  privateActivity: z.boolean(),
  /** Requests in a month. */
  usageLimit: limit,
  /** Requests in a minute. */
  burstLimit: limit,
})

export type Account = z.infer<typeof account>

/** The account that every sandbox has. */
export const firstAccount = { id: 'acct_sandbox', name: 'Sandbox' }

const columns = `id, name, pro_active as "proActive",
  decision_intelligence as "decisionIntelligence", private_activity as "privateActivity",
  usage_limit as "usageLimit", burst_limit as "burstLimit"`

export const listAccounts = read(
  'Lists the accounts with their features and limits.',
  async ({ database }) => {
    const text = `select ${columns} from sandbox.account order by created_at, id limit 200`
    return (await database.query<Account>(text)).rows
  },
)

export const createAccount = action(
  'Creates an account with the default limits; `conflict` if its id is taken.',
  account.pick({ id: true, name: true }),
  async ({ database }, given): Promise<void> => {
    if (await insertAccount(database, given)) return
    throw conflict(
      'An account with this id already exists. Choose another id, or change that account.',
    )
  },
)

/** Adds an account with the limits of the interface; false if one with this id exists. */
export async function insertAccount(db: Queryable, { id, name }: typeof firstAccount) {
  const { rowCount } = await db.query(
    `with made as (
       insert into sandbox.account (id, name) values ($1, $2)
       on conflict do nothing returning id
     )
     insert into sandbox.allowance (account_id) select id from made`,
    [id, name],
  )
  return rowCount === 1
}

export const changeAccount = action(
  'Changes the name, Pro access, features or limits of an account.',
  account.partial().extend({ id: accountIdSchema }),
  async ({ database }, { id, name, proActive, usageLimit, burstLimit, ...features }) => {
    const { decisionIntelligence, privateActivity } = features
    const { rows } = await database.query<Account>(
      `update sandbox.account set
         name = coalesce($2, name),
         pro_active = coalesce($3, pro_active),
         decision_intelligence = coalesce($4, decision_intelligence),
         private_activity = coalesce($5, private_activity),
         usage_limit = coalesce($6, usage_limit),
         burst_limit = coalesce($7, burst_limit)
       where id = $1 returning ${columns}`,
      [id, name, proActive, decisionIntelligence, privateActivity, usageLimit, burstLimit],
    )
    return found(rows[0], 'account')
  },
)
