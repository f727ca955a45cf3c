import type { Queryable } from '@feed-receiver/database'

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

/** The account that every sandbox has. */
export const firstAccount = { id: 'acct_sandbox', name: 'Sandbox' }

/** Makes an account with the limits of the interface; false where there is one of this id already. */
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

/** Changes what is given; undefined where there is no such account. */
export async function changeAccount(
  db: Queryable,
  id: string,
  changes: AccountChanges,
): Promise<Account | undefined> {
  const { rows } = await db.query<AccountRow>(
    `update sandbox.account set
       name = coalesce($2, name),
       pro_active = coalesce($3, pro_active),
       decision_intelligence = coalesce($4, decision_intelligence),
       private_activity = coalesce($5, private_activity),
       usage_limit = coalesce($6, usage_limit),
       burst_limit = coalesce($7, burst_limit)
     where id = $1 returning *`,
    [
      id,
      changes.name,
      changes.proActive,
      changes.decisionIntelligence,
      changes.privateActivity,
      changes.usageLimit,
      changes.burstLimit,
    ],
  )
  return rows.map(toAccount)[0]
}

export async function listAccounts(db: Queryable): Promise<Account[]> {
  const { rows } = await db.query<AccountRow>(
    'select * from sandbox.account order by created_at, id limit 200',
  )
  return rows.map(toAccount)
}

interface AccountRow {
  id: string
  name: string
  pro_active: boolean
  decision_intelligence: boolean
  private_activity: boolean
  usage_limit: number
  burst_limit: number
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    proActive: row.pro_active,
    decisionIntelligence: row.decision_intelligence,
    privateActivity: row.private_activity,
    usageLimit: row.usage_limit,
    burstLimit: row.burst_limit,
  }
}
