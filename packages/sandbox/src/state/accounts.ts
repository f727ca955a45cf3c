import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { plainText } from './fields.ts'

export const accountId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)

const limit = z.int().min(1).max(1_000_000_000)

const account = z.strictObject({
  id: accountId,
  name: plainText(100),
  proActive: z.boolean().meta({ title: 'Pro' }),
  decisionIntelligence: z.boolean().meta({ title: 'Decision Intelligence' }),
  privateActivity: z.boolean(),
  /** Requests in a month. */
  usageLimit: limit.meta({ title: 'Requests in a month' }),
  /** Requests in a minute. */
  burstLimit: limit.meta({ title: 'Requests in a minute' }),
})

export type Account = z.infer<typeof account>

export const newAccount = account.pick({ id: true, name: true })

export const accountChange = account.partial().extend({ id: accountId })

/** The account that every sandbox has. */
export const firstAccount = { id: 'acct_sandbox', name: 'Sandbox' }

const columns = `id, name, pro_active as "proActive",
  decision_intelligence as "decisionIntelligence", private_activity as "privateActivity",
  usage_limit as "usageLimit", burst_limit as "burstLimit"`

/** Creates an account with the limits of the interface; false if one with this id exists. */
export async function createAccount(
  db: Queryable,
  { id, name }: z.infer<typeof newAccount>,
): Promise<boolean> {
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

/** Changes the given members; undefined if there is no such account. */
export async function changeAccount(
  db: Queryable,
  { id, name, proActive, usageLimit, burstLimit, ...features }: z.infer<typeof accountChange>,
): Promise<Account | undefined> {
  const { decisionIntelligence, privateActivity } = features
  const { rows } = await db.query<Account>(
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
  return rows[0]
}

export async function listAccounts(db: Queryable): Promise<Account[]> {
  const text = `select ${columns} from sandbox.account order by created_at, id limit 200`
  return (await db.query<Account>(text)).rows
}
