import { missing } from '../../server/missing.ts'
import { Refusal } from '../../server/refusals.ts'
import { logDestination } from './destination-log.ts'
import { findDestination, type Destination } from './destinations.ts'
import type { WebhookContext } from '../webhook-context.ts'

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
    const destination = await findDestination(tx, vault, id)
    if (!destination) throw missing('destination')
    if (rowCount === 0) {
      throw new Refusal('conflict', {
        detail: 'Only an active destination can be paused. An accepted test makes it active.',
      })
    }
    await logDestination(tx, id, { change: 'paused', detail: 'by hand' })
    return destination
  })
}
