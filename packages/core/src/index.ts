export { createReceiver } from './receiver.ts'
export type { Receiver, ReceiverRequest } from './receiver.ts'
export type { ReceiverOptions } from './options.ts'
export type { SecretProvider } from './keyring.ts'
export type { Body } from './read-body.ts'
export type { HeadersLike } from './headers.ts'
export type { Reply } from './reply.ts'

export { statuses } from './statuses.ts'
export type { Accepted, Quarantined, Reason, Refused } from './statuses.ts'
export type { Findings, Observation } from './observation.ts'
export { noteEvent } from './notes.ts'
export type { Note } from './notes.ts'

export type { Delivery, DeliveryInbox, EventDelivery, UnreadableDelivery } from './delivery.ts'

export { feedEventSchema, knownTypes } from './event.ts'
export type { Benchmark, FeedEvent, FeedEventData, KnownType } from './event.ts'
export type { PullFacts } from './api/pull-facts.ts'
export { parseEvent } from './parse-event.ts'
export type { ParsedEvent, Unreadable } from './parse-event.ts'

export { signatureHeader } from './sign.ts'
export type { SignOptions } from './sign.ts'
export { parseSignature } from './signature.ts'
export type { Signature } from './signature.ts'
export { fingerprintOf, secretProblem } from './secret.ts'
export { secretsFromEnv } from './secrets-from-env.ts'

export { fromFetch, toFetch } from './to-fetch.ts'

export { FeedReceiverError } from './errors.ts'
export type { FeedReceiverErrorCode } from './errors.ts'
