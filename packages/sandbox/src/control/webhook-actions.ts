import { z } from 'zod'
import {
  createDeliveryFault,
  newDeliveryFault,
  deliveryFaultRules,
} from '../faults/delivery-faults.ts'
import {
  deliveryFilter,
  findDelivery,
  listDeliveries,
} from '../webhooks/deliveries/list-deliveries.ts'
import { resendDelivery, retryDelivery } from '../webhooks/deliveries/resend-delivery.ts'
import { testDestination } from '../webhooks/deliveries/test-destination.ts'
import {
  changeDestination,
  deleteDestination,
  destinationChanges,
  pauseDestination,
  cancelRotation,
  rotateSecret,
} from '../webhooks/destinations/change-destination.ts'
import { createDestination, newDestination } from '../webhooks/destinations/create-destination.ts'
import {
  destinationChangeFilter,
  listDestinationChanges,
} from '../webhooks/destinations/destination-log.ts'
import { destinationId, listDestinations } from '../webhooks/destinations/destinations.ts'
import { action, noFaults, numbered, read } from './action.ts'

const one = z.strictObject({ id: destinationId })

/** Actions on destinations, deliveries and delivery faults. */
export const webhookActions = {
  listDestinations: read(({ database, vault }) => listDestinations(database, vault)),
  createDestination: action(newDestination, createDestination, {
    refuseStrict: ({ secret }) => refuseSecret(secret),
  }),
  changeDestination: action(one.extend(destinationChanges.shape), (context, { id, ...changes }) =>
    changeDestination(context, id, changes),
  ),
  testDestination: action(one, (context, { id }) => testDestination(context, id)),
  pauseDestination: action(one, (context, { id }) => pauseDestination(context, id), {
    refuseStrict: () => 'In a strict sandbox, only an answer of the app pauses a destination.',
  }),
  rotateSecret: action(one, (context, { id }) => rotateSecret(context, id)),
  cancelRotation: action(one, (context, { id }) => cancelRotation(context, id)),
  deleteDestination: action(one, (context, { id }) => deleteDestination(context, id)),
  listDestinationChanges: action(destinationChangeFilter, ({ database }, filter) =>
    listDestinationChanges(database, filter),
  ),

  listDeliveries: action(deliveryFilter, ({ database }, filter) =>
    listDeliveries(database, filter),
  ),
  findDelivery: action(
    z.object({ id: z.coerce.number<number>().int().min(1) }),
    ({ database }, { id }) => findDelivery(database, id),
    { finds: 'delivery' },
  ),
  resendDelivery: action(numbered, (context, { id }) => resendDelivery(context, id)),
  retryDelivery: action(numbered, (context, { id }) => retryDelivery(context, id)),

  listDeliveryFaults: read(({ database }) => deliveryFaultRules.list(database)),
  createDeliveryFault: action(newDeliveryFault, createDeliveryFault, noFaults),
  deleteDeliveryFault: action(numbered, ({ database }, { id }) =>
    deliveryFaultRules.delete(database, id),
  ),
}

export function refuseSecret(secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined
  return 'A strict sandbox generates the signing secret itself, so leave it out.'
}
