import { randomBytes } from 'node:crypto'
import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { action, numbered, read } from '../server/action.ts'
import { hashKey } from '../server/charging.ts'
import { found, missing } from '../server/rejections.ts'
import { plainText } from '../state/fields.ts'
import type { Vault } from '../state/vault.ts'
import { accountIdSchema } from './accounts.ts'

export interface ApiKey {
  id: number
  accountId: string
  name: string
  /** Enough to tell it from others, and no more. */
  display: string
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

const columns = `id, account_id as "accountId", name, display, created_at as "createdAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

export const listKeys = read(
  'Lists the API keys, including revoked ones, without their text.',
  async ({ database }) => {
    const text = `select ${columns} from sandbox.api_key order by id desc limit 200`
    return (await database.query<ApiKey>(text)).rows
  },
)

const newApiKey = z.strictObject({
  accountId: accountIdSchema,
  name: plainText(100),
})

export const createKey = action(
  'Creates an API key; only this response contains its text.',
  newApiKey,
  async ({ database }, key) => await insertKey(database, key),
)

/**
 * Adds a key. Without a vault, its text is returned only this once and stored only as a hash. A
 * vault seals the text: later calls for the account and name return the same key until it is revoked.
 *
 * @throws Rejection `not_found` for the account
 */
export async function insertKey(db: Queryable, given: z.infer<typeof newApiKey>, vault?: Vault) {
  const key = `feed_live_${randomBytes(32).toString('base64url')}`
  const label = `account ${given.accountId} key ${given.name}`
  // One statement, because the earlier key may be revoked between two.
  const { rows } = await db.query<ApiKey & { sealed: Buffer | null }>(
    `insert into sandbox.api_key (account_id, name, sha256, display, sealed)
     select id, $2, $3, $4, $5 from sandbox.account where id = $1
     on conflict (account_id, name) where sealed is not null and revoked_at is null
       do update set name = api_key.name
     returning ${columns}, sealed`,
    [
      given.accountId,
      given.name,
      hashKey(key),
      `feed_live_…${key.slice(-4)}`,
      vault?.seal(key, label) ?? null,
    ],
  )
  const { sealed, ...stored } = found(rows[0], 'account')
  return { ...stored, key: vault && sealed ? vault.open(sealed, label) : key }
}

export const revokeKey = action(
  'Revokes an API key; the next request with it is rejected.',
  numbered,
  async ({ database }, { id }): Promise<void> => {
    const { rowCount } = await database.query(
      `update sandbox.api_key set revoked_at = sandbox.clock_time(), sealed = null
       where id = $1 and revoked_at is null`,
      [id],
    )
    if (rowCount === 0) throw missing('key')
  },
)
