// For the other packages of the kit. It may change in every release.
export { classify } from './answer/classify.ts'
export type { AnswerCause, AnswerResult, Classification } from './answer/classify.ts'
export { maxAttempts, retryDelayMs } from './answer/retry-delay.ts'
export type { RetryAnswer, RetryDelayOptions } from './answer/retry-delay.ts'
export { SenderError } from './errors.ts'
export { checkAddress, checkTarget, type TargetRules } from './target/check-target.ts'
export { findRedirect, probeTarget, type ProbeOptions } from './target/probe-target.ts'
