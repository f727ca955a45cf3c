import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '@feed-receiver/database'

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

/**
 * Creates a key. Its text is returned only this once and stored only as a hash (R190, R191).
 * Undefined if there is no such account.
 */
export async function createApiKey(
  db: Queryable,
  { accountId, name }: { accountId: string; name: string },
): Promise<(ApiKey & { key: string }) | undefined> {
  const key = `feed_live_${randomBytes(32).toString('base64url')}`
  const { rows } = await db.query<ApiKey>(
    `insert into sandbox.api_key (account_id, name, sha256, display)
     select id, $2, $3, $4 from sandbox.account where id = $1 returning ${columns}`,
    [accountId, name, hashKey(key), `feed_live_…${key.slice(-4)}`],
  )
  return rows[0] && { ...rows[0], key }
}

/**
 * Revokes a key from the next request on; false if it was already revoked or never existed (R193).
 */
export async function revokeApiKey(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update sandbox.api_key set revoked_at = sandbox.clock_time()
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
