import { conflict, destinationNotActive, found } from '../../server/refusals.ts'
import type { Context } from '../../server/context.ts'
import { readDestination } from '../destinations/destinations.ts'
import type { RunningContext } from './deliverer.ts'
import { findDelivery, type DetailedDelivery } from './list-deliveries.ts'

/**
 * Sends an event again whose delivery has ended, as a new delivery of the same bytes.
 *
 * @throws Refusal `not_found`, `destination_not_active`, or `conflict` for a test and for a
 * delivery that has not ended.
 */
export async function resendDelivery(
  context: RunningContext,
  id: number,
): Promise<DetailedDelivery> {
  await checkCanBeSent(context, id)
  const { rows } = await context.database.query<{ id: number }>(
    `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
     select d.destination_id, d.event_id, 'replay', 'scheduled', d.body, sandbox.clock_time()
     from sandbox.delivery d
     join sandbox.destination t on t.id = d.destination_id and t.state = 'active'
     where d.id = $1 and d.state not in ('scheduled', 'held', 'in_flight')
     returning id`,
    [id],
  )
  const [made] = rows
  if (!made) throw conflict('not_over')
  return await sendSoon(context, made.id)
}

/**
 * Makes the next attempt of a delivery now, before it is due. The clock does not change.
 *
 * @throws Refusal `not_found`, `destination_not_active`, or `conflict` if no attempt follows.
 */
export async function retryDelivery(
  context: RunningContext,
  id: number,
): Promise<DetailedDelivery> {
  await checkCanBeSent(context, id)
  const { rowCount } = await context.database.query(
    `update sandbox.delivery set next_attempt_at = sandbox.clock_time()
     where id = $1 and state = 'scheduled'`,
    [id],
  )
  if (rowCount === 0) throw conflict('not_scheduled')
  return await sendSoon(context, id)
}

async function sendSoon(
  { database, deliverer }: RunningContext,
  id: number,
): Promise<DetailedDelivery> {
  const delivery = found(await findDelivery(database, id), 'delivery')
  deliverer.wake()
  return delivery
}

/** Rejects deliveries that the service would cancel when due. */
async function checkCanBeSent({ database, vault }: Context, id: number): Promise<void> {
  const delivery = found(await findDelivery(database, id), 'delivery')
  const { kind, destinationId, destinationName: name, destinationState: state } = delivery
  if (kind === 'test') throw conflict('test_again')
  if (state === 'active') return
  if (state !== 'paused') throw destinationNotActive(state, { name })
  const { pause } = await readDestination(database, vault, destinationId)
  if (pause === null) throw destinationNotActive('paused', { name })
  const { by, status } = pause
  throw destinationNotActive(by === 'hand' ? 'paused_by_hand' : 'paused_by_answer', {
    name,
    status,
  })
}
