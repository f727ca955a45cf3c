import { randomBytes } from 'node:crypto'
import type { Queryable, Tx } from '@feed-receiver/database'
import { missing } from '../../server/missing.ts'
import { Refusal } from '../../server/refusals.ts'
import { logDestination } from '../destinations/destination-log.ts'
import type { Vault } from './vault.ts'
import type { WebhookContext } from '../webhook-context.ts'

/** A new signing secret (R197). */
export function makeSecret(): string {
  return `feed_whsec_${randomBytes(32).toString('base64url')}`
}

/** Names where a sealed secret belongs; see `Vault`. */
export function secretPlace(destinationId: string): string {
  return `destination ${destinationId} secret`
}

export async function insertSecret(
  tx: Queryable,
  vault: Vault,
  destinationId: string,
  { secret, state }: { secret: string; state: 'current' | 'pending' },
): Promise<Date | null> {
  const { rows } = await tx.query<{ activates_at: Date | null }>(
    `insert into sandbox.destination_secret (destination_id, state, sealed, activates_at)
     values ($1, $2, $3, case when $2 = 'pending' then sandbox.clock_time() + interval '24 hours' end)
     returning activates_at`,
    [destinationId, state, vault.seal(secret, secretPlace(destinationId))],
  )
  return rows[0]?.activates_at ?? null
}

export interface RotatedSecret {
  /** Shown this once. */
  secret: string
  /** When it begins to sign, 24 hours from now; until then the present one does (R202). */
  activatesAt: Date
}

/** @throws Refusal `rotation_in_progress` (R205), `conflict` for a chat, or `not_found`. */
export async function rotateSecret(
  { database, vault }: WebhookContext,
  destinationId: string,
): Promise<RotatedSecret> {
  const secret = makeSecret()
  return await database.tx(async (tx) => {
    await lockSigned(tx, destinationId)
    await settleSecrets(tx)
    if (await hasPending(tx, destinationId)) throw new Refusal('rotation_in_progress')
    const activatesAt = await insertSecret(tx, vault, destinationId, { secret, state: 'pending' })
    if (!activatesAt) throw new Error('A pending secret has no time to begin.')
    await logDestination(tx, destinationId, { change: 'secret_rotated' })
    return { secret, activatesAt }
  })
}

/** Ends a rotation under way; the present secret goes on signing (R205). @throws Refusal `conflict` */
export async function cancelRotation(
  { database }: WebhookContext,
  destinationId: string,
): Promise<void> {
  await database.tx(async (tx) => {
    await lockSigned(tx, destinationId)
    await settleSecrets(tx)
    const { rowCount } = await tx.query(
      `update sandbox.destination_secret set state = 'erased', sealed = null
       where destination_id = $1 and state = 'pending'`,
      [destinationId],
    )
    if (rowCount === 0)
      throw new Refusal('conflict', {
        detail: 'There is no rotation under way. Rotate the secret to begin one.',
      })
    await logDestination(tx, destinationId, { change: 'rotation_cancelled' })
  })
}

/**
 * Has secrets take over whose time has come, and erases those that were replaced seven days ago. What
 * signs follows from the clock alone, whether this was run or not; see `claimDeliveries`.
 */
export async function settleSecrets(db: Queryable): Promise<void> {
  await db.query(settleSql)
}

// The current one goes first: an index allows one of them, and is checked row by row.
const settleSql = `
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

async function lockSigned(tx: Tx, destinationId: string): Promise<void> {
  const { rows } = await tx.query<{ kind: string }>(
    `select kind from sandbox.destination where id = $1 and state <> 'deleted' for update`,
    [destinationId],
  )
  const [row] = rows
  if (!row) throw missing('destination')
  if (row.kind === 'signed') return
  throw new Refusal('conflict', {
    detail: 'Messages to chats are not signed. Rotate the secret of a signed destination.',
  })
}

async function hasPending(tx: Tx, destinationId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select from sandbox.destination_secret where destination_id = $1 and state = 'pending'`,
    [destinationId],
  )
  return rowCount > 0
}
