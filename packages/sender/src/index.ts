export { createSender, type Sender, type SenderOptions } from './create-sender.ts'
export type { AttemptOptions, DeliverOptions, DeliveryOptions } from './create-sender.ts'
export type { DeliveryResult, Outcome } from './attempt/deliver.ts'
export type { AttemptCause, AttemptRecord, AttemptResult } from './attempt/attempt.ts'
export type { DeliveryHeaders } from './attempt/delivery-request.ts'
export type { Failure, FailureCause } from './answer/failure.ts'

export type { Lookup } from './target/create-connector.ts'
export type { SecretRotation } from './attempt/signing-secret.ts'

export type { AnswerCause, AnswerResult } from './answer/classify.ts'

export type { Clock } from '@feed-receiver/core/node'
export { fixture, fixtures, type FixtureOverrides } from './fixtures/fixtures.ts'
export type { SenderError, SenderErrorCode } from './errors.ts'
