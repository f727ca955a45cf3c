import { action, numbered } from '../../server/action.ts'
import type { Context } from '../../server/context.ts'
import { conflict, found, Rejection } from '../../server/rejections.ts'
import { readDestination, type Pause } from '../destinations/destinations.ts'
import { findDelivery } from './list-deliveries.ts'

export const resendDelivery = action(
  'Sends a finished delivery again, as a new delivery of the same bytes; `destination_not_active` if its destination is paused.',
  numbered,
  async (context, { id }) => {
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
  },
)

// The clock does not change.
export const retryDelivery = action(
  'Makes the next attempt of a scheduled delivery now; `destination_not_active` if its destination is paused.',
  numbered,
  async (context, { id }) => {
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
  },
)

async function sendSoon(context: Context, id: number) {
  const delivery = found(await findDelivery.run(context, { id }), 'delivery')
  context.deliverer.wake()
  return delivery
}

/** Rejects deliveries that the service would cancel when due. */
async function checkCanBeSent(context: Context, id: number): Promise<void> {
  const { database, vault } = context
  const delivery = found(await findDelivery.run(context, { id }), 'delivery')
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
