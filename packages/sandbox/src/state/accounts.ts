import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'

export interface Account {
  id: string
  name: string
  proActive: boolean
  decisionIntelligence: boolean
  privateActivity: boolean
  /** Requests in a month. */
  usageLimit: number
  /** Requests in a minute. */
  burstLimit: number
}

export type AccountChanges = { [Name in Exclude<keyof Account, 'id'>]?: Account[Name] | undefined }

export const accountId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)

/** The account that every sandbox has. */
export const firstAccount = { id: 'acct_sandbox', name: 'Sandbox' }

const columns = `id, name, pro_active as "proActive",
  decision_intelligence as "decisionIntelligence", private_activity as "privateActivity",
  usage_limit as "usageLimit", burst_limit as "burstLimit"`

/** Makes an account with the limits of the interface; false if there is one of this id already. */
export async function createAccount(
  db: Queryable,
  { id, name }: { id: string; name: string },
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

/** Changes what is given; undefined if there is no such account. */
export async function changeAccount(
  db: Queryable,
  id: string,
  changes: AccountChanges,
): Promise<Account | undefined> {
  const { name, proActive, decisionIntelligence, privateActivity, usageLimit, burstLimit } = changes
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
