export { createSender } from './create-sender.ts'
export type { Sender } from './create-sender.ts'
export type {
  AttemptOptions,
  DeliverOptions,
  DeliveryOptions,
  SenderOptions,
} from './sender-options.ts'
export type { DeliveryResult, Outcome } from './attempt/deliver.ts'
export type { AttemptCause, AttemptRecord, AttemptResult } from './attempt/attempt.ts'
export type { DeliveryHeaders } from './attempt/delivery-headers.ts'
export type { Failure, FailureCause } from './answer/failure.ts'

export { checkTarget } from './target/check-target.ts'
export { checkAddress } from './target/check-address.ts'
export type { TargetRules } from './target/check-address.ts'
export { findRedirect, probeTarget } from './target/probe-target.ts'
export type { ProbeOptions } from './target/probe-target.ts'
export type { Lookup } from './target/create-connector.ts'
export type { SecretRotation } from './attempt/signing-secret.ts'

export { classify } from './answer/classify.ts'
export type { AnswerCause, AnswerResult, Classification } from './answer/classify.ts'

export { maxAttempts, retryDelayMs } from './answer/retry-delay.ts'
export type { RetryAnswer, RetryDelayOptions } from './answer/retry-delay.ts'

export { systemClock } from '@feed-receiver/core/node'
export type { Clock } from '@feed-receiver/core/node'
export { virtualClock } from './virtual-clock.ts'
export type { VirtualClock, VirtualClockOptions } from './virtual-clock.ts'

export { fixture, fixtures } from './fixtures/fixtures.ts'
export type { FixtureOverrides } from './fixtures/fixtures.ts'

export { SenderError } from './errors.ts'
export type { SenderErrorCode } from './errors.ts'
