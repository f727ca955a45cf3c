import { knownTypes } from '@feed-receiver/core'
import { apiFault, faultSurfaces } from '../faults/api-faults.ts'
import { providers } from '../seed/providers.ts'
import { deliveryFaults } from '../webhooks/delivery-faults.ts'
import { deliveryStates } from '../webhooks/list-deliveries.ts'

/** What the control page has to choose from. */
export const choices = {
  eventTypes: knownTypes.filter((type) => type !== 'destination_test'),
  providers: providers.map(({ slug }) => slug),
  surfaces: faultSurfaces,
  apiFaults: apiFault.options.map(({ shape }) => shape.kind.value),
  deliveryStates,
  deliveryFaults: Object.entries(deliveryFaults).map(([name, does]) => ({ name, does })),
}
