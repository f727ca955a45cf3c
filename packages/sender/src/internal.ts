// For the other packages of the kit. It may change in every release.
export { classify } from './answer/classify.ts'
export { maxAttempts, retryDelayMs } from './answer/retry-delay.ts'
export { SenderError } from './errors.ts'
export { checkAddress, checkTarget } from './target/check-target.ts'
export { findRedirect, probeTarget, type ProbeOptions } from './target/probe-target.ts'
