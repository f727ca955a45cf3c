import { z } from 'zod'
import { action, type Action } from './action.ts'
import { pageInput } from './page-input.ts'
import { missing } from '../server/missing.ts'
import { plainText } from '../state/plain-text.ts'
import { newDeliveryFault } from '../faults/create-delivery-fault.ts'
import { destinationRules } from '../webhooks/destinations/destination-rules.ts'
import { deliveryStates } from '../webhooks/deliveries/list-deliveries.ts'

const destinationId = z.string().regex(/^dst_[0-9a-f]{24}$/)
const accountId = plainText(64)
const name = z.string().trim().pipe(plainText(100))
const id = z.int().min(1)
const secret = z.string().regex(/^feed_whsec_[\x21-\x7e]{1,500}$/, 'expected feed_whsec_…')
const one = z.strictObject({ id: destinationId })

export const webhookReads: Record<string, Action> = {
  destinations: action(z.object({}), (control) => control.listDestinations()),
  'destination-changes': action(
    z.object({ ...pageInput, destinationId: destinationId.optional() }),
    (control, input) => control.listDestinationChanges(input),
  ),
  deliveries: action(
    z.object({
      ...pageInput,
      destinationId: destinationId.optional(),
      eventId: plainText(255).optional(),
      state: z.enum(deliveryStates).optional(),
    }),
    (control, input) => control.listDeliveries(input),
  ),
  delivery: action(z.object({ id: z.coerce.number().int().min(1) }), async (control, input) => {
    const found = await control.findDelivery(input)
    if (!found) throw missing('delivery')
    return found
  }),
  'delivery-faults': action(z.object({}), (control) => control.listDeliveryFaults()),
}

export const webhookChanges: Record<string, Action> = {
  'create-destination': action(
    z.strictObject({
      accountId,
      name,
      url: z.string().min(1).max(4000),
      rules: destinationRules.optional(),
      secret: secret.optional(),
    }),
    (control, input) => control.createDestination(input),
  ),
  'change-destination': action(
    z.strictObject({
      id: destinationId,
      name: name.optional(),
      rules: destinationRules.optional(),
    }),
    (control, input) => control.changeDestination(input),
  ),
  'test-destination': action(one, (control, input) => control.testDestination(input)),
  'pause-destination': action(one, (control, input) => control.pauseDestination(input)),
  'rotate-secret': action(one, (control, input) => control.rotateSecret(input)),
  'cancel-rotation': action(one, (control, input) => control.cancelRotation(input)),
  'delete-destination': action(one, (control, input) => control.deleteDestination(input)),
  'resend-delivery': action(z.strictObject({ id }), (control, input) =>
    control.resendDelivery(input),
  ),
  'create-delivery-fault': action(newDeliveryFault, (control, input) =>
    control.createDeliveryFault(input),
  ),
  'delete-delivery-fault': action(z.strictObject({ id }), (control, input) =>
    control.deleteDeliveryFault(input),
  ),
}
