import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { accountId } from './accounts.ts'
import { plainText } from './fields.ts'
import type { Vault } from './vault.ts'

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

export const newApiKey = z.strictObject({
  accountId: accountId.meta({ title: 'Account' }),
  name: plainText(100),
})

type NewApiKey = z.infer<typeof newApiKey>

const columns = `id, account_id as "accountId", name, display, created_at as "createdAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt"`

/**
 * Creates a key. Without a vault, its text is returned only this once and stored only as a hash.
 * A vault seals the text: later calls for the account and name return the same key
 * until it is revoked. Undefined if there is no such account.
 */
export async function createApiKey(
  db: Queryable,
  given: NewApiKey,
  vault?: Vault,
): Promise<(ApiKey & { key: string }) | undefined> {
  const key = `feed_live_${randomBytes(32).toString('base64url')}`
  const label = labelOf(given)
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
  const [row] = rows
  if (!row) return undefined
  const { sealed, ...stored } = row
  return { ...stored, key: vault && sealed ? vault.open(sealed, label) : key }
}

function labelOf({ accountId: owner, name }: NewApiKey): string {
  return `account ${owner} key ${name}`
}

/**
 * Revokes a key from the next request on; false if it was already revoked or never existed.
 */
export async function revokeApiKey(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update sandbox.api_key set revoked_at = sandbox.clock_time(), sealed = null
     where id = $1 and revoked_at is null`,
    [id],
  )
  return rowCount === 1
}

export async function listApiKeys(db: Queryable): Promise<ApiKey[]> {
  const text = `select ${columns} from sandbox.api_key order by id desc limit 200`
  return (await db.query<ApiKey>(text)).rows
}

/** A key is random and long, so a fast hash protects it as well as a slow one. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
