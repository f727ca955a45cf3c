import { knownTypes } from '@feed-receiver/core'
import { faultsAt } from '../faults/api-faults.ts'
import providers from '../seed/providers.json' with { type: 'json' }
import { deliveryFaults, type DeliveryFaultKind } from '../faults/delivery-faults.ts'
import { deliveryStates } from '../webhooks/deliveries/list-deliveries.ts'

export const choices = {
  eventTypes: knownTypes.filter((type) => type !== 'destination_test'),
  providers: providers.map(({ slug }) => slug),
  /** By address, because not every fault has an effect everywhere. */
  apiFaults: faultsAt,
  deliveryStates,
  deliveryFaults: Object.entries<DeliveryFaultKind>(deliveryFaults).map(
    ([name, { does, lasts = false }]) => ({ name, does, lasts }),
  ),
}
