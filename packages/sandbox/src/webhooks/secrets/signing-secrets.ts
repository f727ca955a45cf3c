import { randomBytes } from 'node:crypto'
import type { Queryable } from '@feed-receiver/database'
import { secretLabel, type Vault } from '../../state/vault.ts'

export function makeSecret(): string {
  return `feed_whsec_${randomBytes(32).toString('base64url')}`
}

/** @returns when it begins to sign: null for a current one, which already does. */
export async function insertSecret(
  db: Queryable,
  vault: Vault,
  destinationId: string,
  { secret, state }: { secret: string; state: 'current' | 'pending' },
): Promise<Date | null> {
  const { rows } = await db.query<{ activates_at: Date | null }>(
    `insert into sandbox.destination_secret (destination_id, state, sealed, activates_at)
     values ($1, $2, $3, case when $2 = 'pending' then sandbox.clock_time() + interval '24 hours' end)
     returning activates_at`,
    [destinationId, state, vault.seal(secret, secretLabel(destinationId))],
  )
  return rows[0]?.activates_at ?? null
}

/**
 * Makes due secrets the current ones, and erases those replaced seven days ago. Which secret signs
 * depends only on the clock, whether or not this has run; see `claimDeliveries`.
 */
export async function applyRotations(db: Queryable): Promise<void> {
  await db.query(applyRotationsSql)
}

// The current one goes first, because an index allows only one and is checked row by row.
const applyRotationsSql = `
with now as materialized (select sandbox.clock_time() as at),
due as (
  select id, destination_id, activates_at from sandbox.destination_secret
  where state = 'pending' and activates_at <= (select at from now)
  for update skip locked
),
replaced as (
  update sandbox.destination_secret s set state = 'retired', retired_at = due.activates_at
  from due where s.destination_id = due.destination_id and s.state = 'current'
  returning s.destination_id
),
erased as (
  update sandbox.destination_secret set state = 'erased', sealed = null
  where state = 'retired' and retired_at <= (select at from now) - interval '7 days'
),
logged as (
  insert into sandbox.destination_log (destination_id, change)
  select destination_id, 'secret_activated' from due
)
update sandbox.destination_secret s set state = 'current'
from due where s.id = due.id and (select count(*) from replaced) >= 0`
