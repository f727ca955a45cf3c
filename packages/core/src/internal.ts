// For the other packages of the kit. It may change in every release.
export * from './clock.ts'
export * from './error-with-code.ts'
export { parseEvent } from './event/decode.node.ts'
export { knownTypes } from './event/feed-event.ts'
export * from './event/notes.ts'
export type { ParsedEvent, Unreadable } from './event/parse-text.ts'
export * from './page-files.ts'
export {
  afterStatus,
  neverSentReasons,
  pausingStatuses,
  quarantineReasons,
  statuses,
} from './reasons.ts'
export * from './recognize.ts'
export { describeError } from './rejections/cause-of.ts'
export { redact, withoutSecrets } from './rejections/redact.ts'
export { warnOfRejections } from './rejections/warn-of-rejections.ts'
export { signatureHeader } from './signature/hmac.node.ts'
export { secretProblem } from './signature/secret.ts'
export { parseSignature } from './signature/signature.ts'
export type { Signature, SignOptions } from './signature/signature.ts'
