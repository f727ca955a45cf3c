// Exports that are the same on every runtime.
export type { Receiver } from './receiver.ts'
export type { ReceiverOptions } from './options.ts'
export type { SecretProvider } from './signature/keyring.ts'
export type { Body, HeadersLike, ReceiverRequest } from './request.ts'
export type { Reply } from './reply.ts'

export { reasons } from './reasons.ts'
export type { Accepted, Meaning, Quarantined, Reason, Rejected } from './reasons.ts'
export { causeOf } from './rejections/cause-of.ts'
export * from './delivery.ts'

export type { Benchmark, FeedEvent, FeedEventData, KnownType } from './event/feed-event.ts'
export type { Note } from './event/notes.ts'
export type { PullFacts } from './event/pull-facts.ts'

export { secretsFromEnv } from './signature/secret.ts'

export * from './errors.ts'
export * from './to-fetch.ts'
