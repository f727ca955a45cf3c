import type { Tx } from '@feed-receiver/database'
import { missing, Refusal } from '../../server/refusals.ts'
import { insertSecret, makeSecret, settleSecrets } from '../secrets/signing-secrets.ts'
import type { WebhookContext } from '../webhook-context.ts'
import { logDestination } from './destination-log.ts'

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
    const { rowCount } = await tx.query(
      `select from sandbox.destination_secret where destination_id = $1 and state = 'pending'`,
      [destinationId],
    )
    if (rowCount > 0) throw new Refusal('rotation_in_progress')
    const activatesAt = await insertSecret(tx, vault, destinationId, { secret, state: 'pending' })
    if (!activatesAt) throw new Error('A pending secret has no time to begin.')
    await logDestination(tx, destinationId, 'secret_rotated')
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
    const { rowCount } = await tx.query(
      `update sandbox.destination_secret set state = 'erased', sealed = null
       where destination_id = $1 and state = 'pending'`,
      [destinationId],
    )
    if (rowCount === 0) {
      throw new Refusal('conflict', {
        detail: 'There is no rotation under way. Rotate the secret to begin one.',
      })
    }
    await logDestination(tx, destinationId, 'rotation_cancelled')
  })
}

/** Locks a destination that signs, with its secrets as they are now. */
async function lockSigned(tx: Tx, destinationId: string): Promise<void> {
  const { rows } = await tx.query<{ kind: string }>(
    `select kind from sandbox.destination where id = $1 and state <> 'deleted' for update`,
    [destinationId],
  )
  const [row] = rows
  if (!row) throw missing('destination')
  if (row.kind !== 'signed') {
    throw new Refusal('conflict', {
      detail: 'Messages to chats are not signed. Rotate the secret of a signed destination.',
    })
  }
  await settleSecrets(tx)
}
