export { createSender } from './create-sender.ts'
export type { Sender } from './create-sender.ts'
export type {
  AttemptOptions,
  DeliverOptions,
  DeliveryOptions,
  SenderOptions,
} from './sender-options.ts'
export type { DeliveryResult, Outcome } from './deliver.ts'
export type { AttemptCause, AttemptRecord, AttemptResult } from './attempt.ts'
export type { DeliveryHeaders } from './delivery-headers.ts'
export type { Failure, FailureCause } from './failure.ts'

export { checkTarget } from './check-target.ts'
export { checkAddress } from './check-address.ts'
export type { TargetRules } from './check-address.ts'
export { findRedirect, probeTarget } from './probe-target.ts'
export type { ProbeOptions } from './probe-target.ts'
export type { Lookup } from './create-connector.ts'
export type { SecretRotation } from './signing-secret.ts'

export { classify } from './classify.ts'
export type { AnswerCause, AnswerResult, Classification } from './classify.ts'

export { maxAttempts, retryDelayMs } from './retry-delay.ts'
export type { RetryAnswer, RetryDelayOptions } from './retry-delay.ts'

export { systemClock } from './clock.ts'
export type { Clock } from './clock.ts'
export { virtualClock } from './virtual-clock.ts'
export type { VirtualClock, VirtualClockOptions } from './virtual-clock.ts'

export { fixture, fixtures } from './fixtures.ts'
export type { FixtureOverrides } from './fixtures.ts'

export { SenderError } from './errors.ts'
export type { SenderErrorCode } from './errors.ts'
