export { createSandbox } from './create-sandbox.ts'
export type { Sandbox } from './create-sandbox.ts'
export type { OtherPage, SandboxOptions } from './options.ts'

export type { Control } from './control/control.ts'
export type { ActionInput, ActionName, ActionResult } from './control/actions.ts'
export type { SandboxExport } from './control/export.ts'
export type { ApiFault } from './faults/api-faults.ts'
export type {
  Destination,
  Pause,
  StoredDestinationChange,
} from './webhooks/destinations/destinations.ts'
export type { RotatedSecret } from './webhooks/destinations/change-destination.ts'
export type {
  DetailedDelivery,
  StoredAttempt,
  StoredDelivery,
} from './webhooks/deliveries/deliveries.ts'
export type { TestResult } from './webhooks/deliveries/test-destination.ts'
export type { Forward, ForwardedTo } from './webhooks/deliveries/forward.ts'

export type { MadeAttempt } from './state/delivery.ts'

export type { Rejection, RejectionReason } from './server/rejections.ts'
export type { SandboxError, SandboxErrorCode } from './errors.ts'
