import type { Tx } from '@feed-receiver/database'
import { action } from '../../server/action.ts'
import { conflict, found, missing, Rejection } from '../../server/rejections.ts'
import { applyRotations, insertSecret, makeSecret } from '../secrets/signing-secrets.ts'
import {
  byHand,
  destinationName,
  destinationRules,
  logDestination,
  oneDestination,
  readDestination,
} from './destinations.ts'

// The address cannot change: delete the destination and create another.
export const changeDestination = action(
  'Changes the name or the rules of a destination.',
  oneDestination.extend({ name: destinationName.optional(), rules: destinationRules.optional() }),
  async ({ database, vault }, { id, name, rules = {} }) => {
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
  },
)

export const pauseDestination = action(
  'Pauses a destination, as an answer such as 410 would.',
  oneDestination,
  async ({ database, vault }, { id }) =>
    await database.tx(async (tx) => {
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
    }),
  { rejectStrict: () => 'In a strict sandbox, only an answer of the app pauses a destination.' },
)

// An in-flight attempt may finish, and no other follows it.
export const deleteDestination = action(
  'Deletes a destination with its address and secrets, and cancels its pending deliveries.',
  oneDestination,
  async ({ database }, { id }) =>
    await database.tx(async (tx) => {
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
    }),
)

export interface RotatedSecret {
  /** Shown only this once. */
  secret: string
  /** When it begins to sign, 24 hours from now. Until then the current one signs. */
  activatesAt: Date
}

export const rotateSecret = action(
  'Creates a new secret that signs after 24 hours; only this response contains it.',
  oneDestination,
  async ({ database, vault }, { id }): Promise<RotatedSecret> => {
    const secret = makeSecret()
    return await database.tx(async (tx) => {
      await lockSigned(tx, id)
      const { rowCount } = await tx.query(
        `select from sandbox.destination_secret where destination_id = $1 and state = 'pending'`,
        [id],
      )
      if (rowCount > 0) throw new Rejection('rotation_in_progress')
      const activatesAt = await insertSecret(tx, vault, id, { secret, state: 'pending' })
      if (!activatesAt) throw new Error('A pending secret has no activation time.')
      await logDestination(tx, id, 'secret_rotated')
      return { secret, activatesAt }
    })
  },
)

export const cancelRotation = action(
  'Cancels a rotation in progress; the current secret continues to sign.',
  oneDestination,
  async ({ database }, { id }): Promise<void> => {
    await database.tx(async (tx) => {
      await lockSigned(tx, id)
      const { rowCount } = await tx.query(
        `update sandbox.destination_secret set state = 'erased', sealed = null
         where destination_id = $1 and state = 'pending'`,
        [id],
      )
      if (rowCount === 0) {
        throw conflict('No rotation is in progress. Rotate the secret to start one.')
      }
      await logDestination(tx, id, 'rotation_cancelled')
    })
  },
)

/** Locks a signed destination, with its current secrets. */
async function lockSigned(tx: Tx, id: string): Promise<void> {
  const { rows } = await tx.query<{ kind: string }>(
    `select kind from sandbox.destination where id = $1 and state <> 'deleted' for update`,
    [id],
  )
  if (found(rows[0], 'destination').kind !== 'signed') {
    throw conflict('Messages to a chat are not signed. Rotate the secret of a signed destination.')
  }
  await applyRotations(tx)
}
