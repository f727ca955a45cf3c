import { conflict, found, Rejection } from '../../server/rejections.ts'
import type { Context } from '../../server/context.ts'
import { readDestination, type Pause } from '../destinations/destinations.ts'
import type { RunningContext } from './deliverer.ts'
import { findDelivery, type DetailedDelivery } from './list-deliveries.ts'

/**
 * Sends an event again whose delivery has ended, as a new delivery of the same bytes.
 *
 * @throws Rejection `not_found`, `destination_not_active`, or `conflict` for a test and for a
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
  if (!made) {
    throw conflict(
      'The delivery is not finished. Retry it now, or send it again once it is finished.',
    )
  }
  return await sendSoon(context, made.id)
}

/**
 * Makes the next attempt of a delivery now, before it is due. The clock does not change.
 *
 * @throws Rejection `not_found`, `destination_not_active`, or `conflict` if no attempt follows.
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
  if (rowCount === 0) {
    throw conflict('The delivery has no scheduled attempt. Send it again once it is finished.')
  }
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
  if (kind === 'test') {
    throw conflict('A test delivery has no second attempt. Send another test.')
  }
  if (state === 'active') return
  const pause =
    state === 'paused' ? (await readDestination(database, vault, destinationId)).pause : null
  throw new Rejection('destination_not_active', { detail: `${name} ${whyNotActive(state, pause)}` })
}

function whyNotActive(state: 'new' | 'paused' | 'deleted', pause: Pause | null): string {
  if (state === 'new') {
    return 'is new, so it receives no deliveries. Test it first: a 2xx answer activates it.'
  }
  if (state === 'deleted') {
    return 'was deleted, so it receives no deliveries. Create a destination with the same URL.'
  }
  if (pause?.by === 'answer') {
    return `is paused because it answered ${String(pause.status)}. Fix the app, then resume the destination with a test delivery that it answers with 2xx.`
  }
  const why = pause ? 'was paused by hand' : 'is paused, so it receives no deliveries'
  return `${why}. Resume it with a test delivery that it answers with 2xx.`
}
