import { z } from 'zod'
import { missing, Refusal } from '../../server/refusals.ts'
import type { WebhookContext } from '../webhook-context.ts'
import { logDestination } from './destination-log.ts'
import { destinationRules } from './destination-rules.ts'
import { destinationName, readDestination, type Destination } from './destinations.ts'

export const destinationChanges = z.strictObject({
  name: destinationName.optional(),
  rules: destinationRules.optional(),
})

export type DestinationChanges = z.infer<typeof destinationChanges>

/** Changes what is given. The address cannot be: delete it and create another. */
export async function changeDestination(
  { database, vault }: WebhookContext,
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
 * Pauses a destination as an answer such as 410 would, for a developer to see what that leads to. Only
 * an accepted test makes it active again (R83).
 *
 * @throws Refusal `not_found`, or `conflict` where it is not active.
 */
export async function pauseDestination(
  { database, vault }: WebhookContext,
  id: string,
): Promise<Destination> {
  return await database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `update sandbox.destination set
         state = 'paused', generation = generation + 1, state_changed_at = sandbox.clock_time()
       where id = $1 and state = 'active'`,
      [id],
    )
    const destination = await readDestination(tx, vault, id)
    if (rowCount === 0) {
      throw new Refusal('conflict', {
        detail: 'Only an active destination can be paused. An accepted test makes it active.',
      })
    }
    await logDestination(tx, id, 'paused', 'by hand')
    return destination
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
    await logDestination(tx, id, 'deleted')
    return { cancelled }
  })
}
