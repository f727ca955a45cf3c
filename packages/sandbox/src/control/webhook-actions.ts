import { z } from 'zod'
import {
  createDeliveryFault,
  listDeliveryFaults,
  newDeliveryFault,
} from '../faults/delivery-fault-rules.ts'
import { deleteRule } from '../faults/rules.ts'
import {
  deliveryFilter,
  findDelivery,
  listDeliveries,
} from '../webhooks/deliveries/list-deliveries.ts'
import { resendDelivery } from '../webhooks/deliveries/enqueue-deliveries.ts'
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
import { action, noFaults, read } from './action.ts'

const one = z.strictObject({ id: destinationId })
const numbered = z.strictObject({ id: z.int().min(1) })

/** Where alerts go, what was delivered, and what deliveries are to do wrong. */
export const webhookActions = {
  listDestinations: read(
    'Lists the destinations that are not deleted, the oldest first.',
    ({ database, vault }) => listDestinations(database, vault),
  ),
  createDestination: action({
    description: 'Creates a destination in state new; only this answer has its secret.',
    input: newDestination,
    refuseStrict: ({ secret }) => refuseSecret(secret),
    run: createDestination,
  }),
  changeDestination: action({
    description: 'Changes the name or the rules of a destination.',
    input: one.extend(destinationChanges.shape),
    run: (context, { id, ...changes }) => changeDestination(context, id, changes),
  }),
  testDestination: action({
    description:
      'Makes a test delivery and waits for its answer; a 2xx makes the destination active.',
    input: one,
    run: (context, { id }) => testDestination(context, id),
  }),
  pauseDestination: action({
    description: 'Pauses a destination as an answer such as 410 would.',
    input: one,
    refuseStrict: () => 'Only an answer pauses a destination of a strict sandbox.',
    run: (context, { id }) => pauseDestination(context, id),
  }),
  rotateSecret: action({
    description: 'Makes a new secret that signs from 24 hours later on; only this answer has it.',
    input: one,
    run: (context, { id }) => rotateSecret(context, id),
  }),
  cancelRotation: action({
    description: 'Ends a rotation under way; the present secret goes on signing.',
    input: one,
    run: (context, { id }) => cancelRotation(context, id),
  }),
  deleteDestination: action({
    description: 'Deletes a destination with its address and secrets, and cancels what is pending.',
    input: one,
    run: (context, { id }) => deleteDestination(context, id),
  }),
  listDestinationChanges: action({
    description: 'Lists what became of destinations, the newest first.',
    input: destinationChangeFilter,
    run: ({ database }, filter) => listDestinationChanges(database, filter),
  }),

  listDeliveries: action({
    description: 'Lists deliveries with when their next attempt is due, the newest first.',
    input: deliveryFilter,
    run: ({ database }, filter) => listDeliveries(database, filter),
  }),
  findDelivery: action({
    description: 'Finds a delivery, with its body and every attempt.',
    input: z.object({ id: z.coerce.number<number>().int().min(1) }),
    finds: 'delivery',
    run: ({ database }, { id }) => findDelivery(database, id),
  }),
  resendDelivery: action({
    description: 'Sends a delivery that has ended once more, as a new delivery of the same bytes.',
    input: numbered,
    run: (context, { id }) => resendDelivery(context, id),
  }),

  listDeliveryFaults: read('Lists the fault rules of deliveries.', ({ database }) =>
    listDeliveryFaults(database),
  ),
  createDeliveryFault: action({
    description:
      'Makes deliveries fail, `times` times or until the rule is deleted; refuses a rule that could do nothing.',
    input: newDeliveryFault,
    refuseStrict: () => noFaults,
    run: createDeliveryFault,
  }),
  deleteDeliveryFault: action({
    description: 'Deletes a fault rule of deliveries.',
    input: numbered,
    run: ({ database }, { id }) => deleteRule(database, 'delivery_fault', id),
  }),
}

export function refuseSecret(secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined
  return 'A strict sandbox makes the signing secret itself. Leave it out.'
}
