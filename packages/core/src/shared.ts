// Exports that are the same on every runtime.
export type { Receiver } from './receiver.ts'
export type { ReceiverOptions } from './options.ts'
export type { SecretProvider } from './signature/keyring.ts'
export type { Body, HeadersLike, ReceiverRequest } from './request.ts'
export type { Reply } from './reply.ts'

export { afterStatus, pausingStatuses, quarantineReasons } from './reasons.ts'
export { reasons, statuses } from './reasons.ts'
export type { Accepted, Meaning, Quarantined, Reason, Rejected } from './reasons.ts'
export { causeOf } from './rejections/cause-of.ts'
export { redact, withoutSecrets } from './rejections/redact.ts'
export * from './delivery.ts'

export * from './event/feed-event.ts'
export * from './event/notes.ts'
export type { PullFacts } from './event/pull-facts.ts'
export type { ParsedEvent, Unreadable } from './event/parse-text.ts'

export { parseSignature } from './signature/signature.ts'
export type { Signature, SignOptions } from './signature/signature.ts'
export { secretProblem, secretsFromEnv } from './signature/secret.ts'

export * from './error-with-code.ts'
export * from './errors.ts'
export * from './recognize.ts'
export * from './to-fetch.ts'
