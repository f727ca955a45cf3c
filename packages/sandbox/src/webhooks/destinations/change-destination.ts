import { missing } from '../../server/missing.ts'
import type { RuleChanges } from './destination-rules.ts'
import { logDestination } from './destination-log.ts'
import { findDestination, type Destination } from './destinations.ts'
import type { WebhookContext } from '../webhook-context.ts'

export interface DestinationChanges {
  name?: string | undefined
  rules?: RuleChanges | undefined
}

/** Changes what is given. The address cannot be: delete it and create another. */
export async function changeDestination(
  { database, vault }: WebhookContext,
  id: string,
  { name, rules = {} }: DestinationChanges,
): Promise<Destination> {
  return await database.tx(async (tx) => {
    await tx.query(
      `update sandbox.destination set
         name = coalesce($2, name),
         providers = coalesce($3, providers),
         categories = coalesce($4, categories),
         types = coalesce($5, types),
         confirmation = coalesce($6, confirmation)
       where id = $1 and state <> 'deleted'`,
      [id, name, rules.providers, rules.categories, rules.types, rules.confirmation],
    )
    const changed = await findDestination(tx, vault, id)
    if (!changed) throw missing('destination')
    await logDestination(tx, id, { change: 'changed' })
    return changed
  })
}

/**
 * Erases the address and every secret and cancels what is pending (R206). An attempt that is under way
 * may finish, and is not followed by another (R207).
 */
export async function deleteDestination(
  { database }: WebhookContext,
  id: string,
): Promise<{ cancelled: number }> {
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
    await logDestination(tx, id, { change: 'deleted' })
    return { cancelled }
  })
}
