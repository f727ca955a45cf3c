import { z } from 'zod'
import type { Tx } from '@feed-receiver/database'
import { conflict, found, missing, Rejection } from '../../server/rejections.ts'
import {
  byHand,
  destinationRules,
  destinationName,
  logDestination,
  readDestination,
  type Destination,
} from './destinations.ts'
import { insertSecret, makeSecret, applyRotations } from '../secrets/signing-secrets.ts'
import type { Context } from '../../server/context.ts'

export const destinationChanges = z.strictObject({
  name: destinationName.optional(),
  rules: destinationRules.optional(),
})

export type DestinationChanges = z.infer<typeof destinationChanges>

/**
 * Changes the given members. The address cannot change: delete the destination and create another.
 */
export async function changeDestination(
  { database, vault }: Context,
  id: string,
  { name, rules = {} }: DestinationChanges,
): Promise<Destination> {
  const { providers, categories, types, confirmation } = rules
  return await database.tx(async (tx) => {
    await tx.query(
      `update sandbox.destination set
         name = coalesce($2, name),
         providers = coalesce($3, providers),
         categories = coalesce($4, categories),
         types = coalesce($5, types),
         confirmation = coalesce($6, confirmation)
       where id = $1 and state <> 'deleted'`,
      [id, name, providers, categories, types, confirmation],
    )
    const changed = await readDestination(tx, vault, id)
    await logDestination(tx, id, 'changed')
    return changed
  })
}

/**
 * Pauses a destination as a response such as 410 would, so that a developer can see the effect.
 * Only an accepted test activates it again.
 *
 * @throws Rejection `not_found`, or `conflict` if it is not active.
 */
export async function pauseDestination({ database, vault }: Context, id: string) {
  return await database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `update sandbox.destination set
         state = 'paused', generation = generation + 1, state_changed_at = sandbox.clock_time()
       where id = $1 and state = 'active'`,
      [id],
    )
    const destination = await readDestination(tx, vault, id)
    if (rowCount === 0) {
      throw conflict(
        'Only an active destination can be paused. Activate it first, with a test that it accepts.',
      )
    }
    await logDestination(tx, id, 'paused', byHand)
    return destination
  })
}

/**
 * Erases the address and every secret, and cancels pending deliveries. An in-flight attempt
 * may finish, and no other follows it.
 */
export async function deleteDestination({ database }: Context, id: string) {
  return await database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `update sandbox.destination set state = 'deleted', url_sealed = null,
         state_changed_at = sandbox.clock_time(), generation = generation + 1
       where id = $1 and state <> 'deleted'`,
      [id],
    )
    if (rowCount === 0) throw missing('destination')
    await tx.query(
      `update sandbox.destination_secret set state = 'erased', sealed = null
       where destination_id = $1 and state <> 'erased'`,
      [id],
    )
    const { rowCount: cancelled } = await tx.query(
      `update sandbox.delivery set state = 'cancelled', reason = 'destination_deleted',
         next_attempt_at = null, ended_at = sandbox.clock_time()
       where destination_id = $1 and state in ('scheduled', 'held')`,
      [id],
    )
    await tx.query('delete from sandbox.delivery_fault where destination_id = $1', [id])
    await logDestination(tx, id, 'deleted')
    return { cancelled }
  })
}

export interface RotatedSecret {
  /** Shown only this once. */
  secret: string
  /** When it begins to sign, 24 hours from now. Until then the current one signs. */
  activatesAt: Date
}

/** @throws Rejection `rotation_in_progress`, `conflict` for a chat, or `not_found`. */
export async function rotateSecret(
  { database, vault }: Context,
  destinationId: string,
): Promise<RotatedSecret> {
  const secret = makeSecret()
  return await database.tx(async (tx) => {
    await lockSigned(tx, destinationId)
    const { rowCount } = await tx.query(
      `select from sandbox.destination_secret where destination_id = $1 and state = 'pending'`,
      [destinationId],
    )
    if (rowCount > 0) throw new Rejection('rotation_in_progress')
    const activatesAt = await insertSecret(tx, vault, destinationId, { secret, state: 'pending' })
    if (!activatesAt) throw new Error('A pending secret has no activation time.')
    await logDestination(tx, destinationId, 'secret_rotated')
    return { secret, activatesAt }
  })
}

/**
 * Cancels a rotation in progress. The current secret continues to sign. @throws Rejection
 * `conflict`
 */
export async function cancelRotation({ database }: Context, destinationId: string): Promise<void> {
  await database.tx(async (tx) => {
    await lockSigned(tx, destinationId)
    const { rowCount } = await tx.query(
      `update sandbox.destination_secret set state = 'erased', sealed = null
       where destination_id = $1 and state = 'pending'`,
      [destinationId],
    )
    if (rowCount === 0) {
      throw conflict('No rotation is in progress. Rotate the secret to start one.')
    }
    await logDestination(tx, destinationId, 'rotation_cancelled')
  })
}

/** Locks a signed destination, with its current secrets. */
async function lockSigned(tx: Tx, destinationId: string): Promise<void> {
  const { rows } = await tx.query<{ kind: string }>(
    `select kind from sandbox.destination where id = $1 and state <> 'deleted' for update`,
    [destinationId],
  )
  if (found(rows[0], 'destination').kind !== 'signed') {
    throw conflict('Messages to a chat are not signed. Rotate the secret of a signed destination.')
  }
  await applyRotations(tx)
}
