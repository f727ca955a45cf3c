export { createSandbox } from './create-sandbox.ts'
export type { Sandbox } from './create-sandbox.ts'
export type { Behaviour, MadeAttempt, OtherPage, SandboxOptions } from './options.ts'

export type { Control, SettingChanges } from './control/control.ts'
export type { SandboxExport } from './control/history.ts'
export type { ClockMove, ClockReading } from './state/clock.ts'
export type { ServiceEvent } from './state/service-event.ts'
export type { EventChange, EventDraft } from './events/compose-event.ts'
export type { ServiceAccountEvent } from './state/account-event-schema.ts'
export type {
  AccountEventChange,
  AccountEventDraft,
} from './account-events/compose-account-event.ts'
export type { ApiFault, ApiFaultRule, FaultSurface } from './faults/api-faults.ts'
export type { FeedChange } from './state/service-event.ts'
export type { Account, AccountChanges } from './state/accounts.ts'
export type { ApiKey } from './state/api-keys.ts'
export type { KeptRequest, RequestRecord } from './state/request-journal.ts'
export type { RefusalReason } from './server/refusals.ts'

export type {
  Destination,
  DestinationRules,
  DestinationState,
  Pause,
  RuleChanges,
} from './webhooks/destinations/destinations.ts'
export type {
  CreatedDestination,
  NewDestination,
} from './webhooks/destinations/create-destination.ts'
export type {
  DestinationChanges,
  RotatedSecret,
} from './webhooks/destinations/change-destination.ts'
export type { KeptDestinationChange } from './webhooks/destinations/destination-log.ts'
export type { TestResult } from './webhooks/deliveries/test-destination.ts'
export type { Forward, ForwardedTo } from './webhooks/deliveries/forward.ts'
export type {
  DeliveryFilter,
  DetailedDelivery,
  KeptAttempt,
  KeptDelivery,
  ListedAttempt,
  ListedDelivery,
} from './webhooks/deliveries/list-deliveries.ts'
export type {
  DeliveryFault,
  DeliveryFaultRule,
  NewDeliveryFault,
} from './faults/delivery-faults.ts'

export { Refusal } from './server/refusals.ts'
export { SandboxError } from './errors.ts'
export type { SandboxErrorCode } from './errors.ts'
