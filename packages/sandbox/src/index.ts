export { createSandbox } from './create-sandbox.ts'
export type { Sandbox, SandboxOptions } from './create-sandbox.ts'

export type { ClockMove, Control } from './control/control.ts'
export type { SandboxExport } from './control/export.ts'
export type { ClockReading } from './clock/clock.ts'
export type { ServiceEvent } from './events/event-schema.ts'
export type { EventDraft } from './feed/compose-event.ts'
export type { EventChange } from './feed/change-event.ts'
export type { ServiceAccountEvent } from './account-events/account-event-schema.ts'
export type {
  AccountEventChange,
  AccountEventDraft,
} from './account-events/compose-account-event.ts'
export type { ApiFault, ApiFaultRule, FaultSurface } from './faults/api-faults.ts'
export type { FeedChange } from './events/publish-event.ts'
export type { Account, AccountChanges } from './accounts/accounts.ts'
export type { ApiKey } from './keys/api-keys.ts'
export type { KeptRequest, RequestRecord } from './journal/request-journal.ts'
export type { RefusalReason } from './server/refusals.ts'

export type { Destination, DestinationState } from './webhooks/destinations.ts'
export type { CreatedDestination, NewDestination } from './webhooks/create-destination.ts'
export type { DestinationChanges } from './webhooks/change-destination.ts'
export type { DestinationRules, RuleChanges } from './webhooks/destination-rules.ts'
export type { KeptDestinationChange } from './webhooks/destination-log.ts'
export type { RotatedSecret } from './webhooks/signing-secrets.ts'
export type { TestResult } from './webhooks/test-destination.ts'
export type { Forward, ForwardedTo } from './webhooks/forward.ts'
export type {
  DeliveryFilter,
  DetailedDelivery,
  KeptAttempt,
  KeptDelivery,
} from './webhooks/list-deliveries.ts'
export type { NewDeliveryFault } from './webhooks/create-delivery-fault.ts'
export type { DeliveryFault, DeliveryFaultRule } from './webhooks/delivery-faults.ts'

export { Refusal } from './server/refusals.ts'
export { SandboxError } from './errors.ts'
export type { SandboxErrorCode } from './errors.ts'
