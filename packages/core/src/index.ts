export { createReceiver } from './receiver.ts'
export type { Receiver } from './receiver.ts'
export type { ReceiverOptions } from './options.ts'
export type { SecretProvider } from './signature/keyring.ts'
export type { Body, HeadersLike, ReceiverRequest } from './request.ts'
export type { Reply } from './reply.ts'

export { statuses } from './reasons.ts'
export type { Accepted, Quarantined, Reason, Refused } from './reasons.ts'
export type { Findings, Observation } from './observation.ts'
export { noteEvent } from './event/notes.ts'
export type { Note } from './event/notes.ts'

export type { Delivery, DeliveryInbox, EventDelivery, UnreadableDelivery } from './delivery.ts'

export { feedEventSchema, knownTypes } from './event/feed-event.ts'
export type { FeedEvent, FeedEventData, KnownType } from './event/feed-event.ts'
export type { Benchmark } from './event/formats.ts'
export type { PullFacts } from './event/api-event.ts'
export { parseEvent } from './event/parse-event.ts'
export type { ParsedEvent, Unreadable } from './event/parse-event.ts'

export { parseSignature, signatureHeader } from './signature/signature.ts'
export type { Signature, SignOptions } from './signature/signature.ts'
export { fingerprintOf, secretProblem, secretsFromEnv } from './signature/secret.ts'

export { fromFetch, toFetch } from './to-fetch.ts'

export { FeedReceiverError } from './errors.ts'
export type { FeedReceiverErrorCode } from './errors.ts'
