import { missing, Refusal } from '../../server/refusals.ts'
import type { WebhookContext } from '../webhook-context.ts'
import type { Deliverer } from './deliverer.ts'
import { findDelivery, type KeptDelivery } from './list-deliveries.ts'

/**
 * Sends an event that is over and done with once more, as a new delivery of the same bytes.
 *
 * @throws Refusal `not_found`, or `conflict` for a test and for what is not over.
 */
export async function resendDelivery(
  { database: db, deliverer }: WebhookContext & { deliverer: Deliverer },
  id: number,
): Promise<KeptDelivery> {
  const before = await findDelivery(db, id)
  if (!before) throw missing('delivery')
  if (before.kind === 'test') throw conflict('A test has no second attempt. Make another test.')
  const { rows } = await db.query<{ id: number }>(
    `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
     select d.destination_id, d.event_id, 'replay', 'scheduled', d.body, sandbox.clock_time()
     from sandbox.delivery d
     join sandbox.destination t on t.id = d.destination_id and t.state <> 'deleted'
     where d.id = $1 and d.state not in ('scheduled', 'held', 'in_flight')
     returning id`,
    [id],
  )
  const [row] = rows
  const made = row && (await findDelivery(db, row.id))
  if (!made)
    throw conflict(
      'The delivery is not over yet, or its destination was deleted. Send one again that has ended.',
    )
  deliverer.wake()
  const { body: _, attemptList: __, ...delivery } = made
  return delivery
}

function conflict(detail: string): Refusal {
  return new Refusal('conflict', { detail })
}
