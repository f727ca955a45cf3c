import { missing } from '../server/missing.ts'
import {
  changeDestination,
  deleteDestination,
  type DestinationChanges,
} from '../webhooks/destinations/change-destination.ts'
import {
  createDestination,
  type CreatedDestination,
  type NewDestination,
} from '../webhooks/destinations/create-destination.ts'
import { createDeliveryFault, type NewDeliveryFault } from '../faults/create-delivery-fault.ts'
import type { Deliverer } from '../webhooks/deliveries/deliverer.ts'
import {
  deleteDeliveryFault,
  listDeliveryFaults,
  type DeliveryFaultRule,
} from '../faults/delivery-faults.ts'
import {
  listDestinationChanges,
  type KeptDestinationChange,
} from '../webhooks/destinations/destination-log.ts'
import { listDestinations, type Destination } from '../webhooks/destinations/destinations.ts'
import { forwardTo, type Forward, type ForwardedTo } from '../webhooks/destinations/forward.ts'
import {
  findDelivery,
  listDeliveries,
  type DeliveryFilter,
  type DetailedDelivery,
  type KeptDelivery,
} from '../webhooks/deliveries/list-deliveries.ts'
import { pauseDestination } from '../webhooks/destinations/pause-destination.ts'
import { resendDelivery } from '../webhooks/deliveries/resend-delivery.ts'
import {
  cancelRotation,
  rotateSecret,
  settleSecrets,
  type RotatedSecret,
} from '../webhooks/secrets/signing-secrets.ts'
import { testDestination, type TestResult } from '../webhooks/destinations/test-destination.ts'
import type { WebhookContext } from '../webhooks/webhook-context.ts'

/** What the control page can do about webhooks. */
export interface WebhookControl {
  listDestinations(): Promise<Destination[]>
  /** The secret is in the answer and never again. */
  createDestination(destination: NewDestination): Promise<CreatedDestination>
  changeDestination(change: DestinationChanges & { id: string }): Promise<Destination>
  /** Makes a test delivery and waits for its answer. */
  testDestination(destination: { id: string }): Promise<TestResult>
  /** Pauses it as an answer such as 410 would. */
  pauseDestination(destination: { id: string }): Promise<Destination>
  /** The new secret is in the answer and never again. */
  rotateSecret(destination: { id: string }): Promise<RotatedSecret>
  cancelRotation(destination: { id: string }): Promise<void>
  deleteDestination(destination: { id: string }): Promise<{ cancelled: number }>
  /** What became of destinations, the newest first. */
  listDestinationChanges(page?: {
    destinationId?: string | undefined
    before?: number | undefined
    limit?: number | undefined
  }): Promise<KeptDestinationChange[]>
  /** Has the feed arrive at an app of this machine; see `forwardTo`. */
  forwardTo(forward: Forward): Promise<ForwardedTo>

  /** The newest first. */
  listDeliveries(filter?: DeliveryFilter): Promise<KeptDelivery[]>
  /** With its body and its attempts. */
  findDelivery(delivery: { id: number }): Promise<DetailedDelivery | undefined>
  resendDelivery(delivery: { id: number }): Promise<KeptDelivery>

  listDeliveryFaults(): Promise<DeliveryFaultRule[]>
  createDeliveryFault(rule: NewDeliveryFault): Promise<DeliveryFaultRule>
  deleteDeliveryFault(rule: { id: number }): Promise<void>
}

export function createWebhookControl(
  context: WebhookContext,
  deliverer: Deliverer,
): WebhookControl {
  const { database, vault } = context
  const control: WebhookControl = {
    async listDestinations() {
      await settleSecrets(database)
      return await listDestinations(database, vault)
    },
    createDestination: (destination) => createDestination(context, destination),
    changeDestination: ({ id, ...changes }) => changeDestination(context, id, changes),
    async testDestination({ id }) {
      const result = await testDestination(context, deliverer, id)
      deliverer.wake()
      return result
    },
    pauseDestination: ({ id }) => pauseDestination(context, id),
    rotateSecret: ({ id }) => rotateSecret(context, id),
    cancelRotation: ({ id }) => cancelRotation(context, id),
    deleteDestination: ({ id }) => deleteDestination(context, id),
    listDestinationChanges: (page) => listDestinationChanges(database, page),
    forwardTo: (forward) => forwardTo(context, control, forward),

    listDeliveries: (filter) => listDeliveries(database, filter),
    findDelivery: ({ id }) => findDelivery(database, id),
    async resendDelivery({ id }) {
      const delivery = await resendDelivery(database, id)
      deliverer.wake()
      return delivery
    },

    listDeliveryFaults: () => listDeliveryFaults(database),
    createDeliveryFault: (rule) => createDeliveryFault(context, rule),
    async deleteDeliveryFault({ id }) {
      if (await deleteDeliveryFault(database, id)) return
      throw missing('fault')
    },
  }
  return control
}
