import { secretProblem } from '@feed-receiver/core/internal'
import { SenderError } from '../errors.ts'

/** A secret rotation: two secrets, of which one signs at any time. */
export interface SecretRotation {
  /** Signs for another 24 hours. */
  current: string
  /** Signs from exactly 24 hours after `rotatedAt`. */
  next: string
  /** When `next` was created: epoch milliseconds on `clock`. */
  rotatedAt: number
}

/**
 * Returns a function that gives the secret for a time. Each attempt calls it again, so the retries
 * of one delivery may switch to the next secret.
 *
 * @throws SenderError `invalid_secret`.
 */
export function readSecret(secret: string | SecretRotation): (nowMs: number) => string {
  if (typeof secret !== 'object' || secret === null) {
    checkSecret(secret)
    return () => secret
  }
  const { current, next, rotatedAt } = secret
  checkSecret(current)
  checkSecret(next)
  if (!Number.isFinite(rotatedAt)) {
    throw new SenderError(
      'invalid_secret',
      '`rotatedAt` is not a time. Pass epoch milliseconds, such as Date.now() returns.',
    )
  }
  return (nowMs) => (nowMs - rotatedAt < rotationOverlapMs ? current : next)
}

/** How long the old secret continues to sign. */
const rotationOverlapMs = 24 * 60 * 60 * 1000

// The value is never quoted.
function checkSecret(secret: unknown): asserts secret is string {
  const problem = secretProblem(secret)
  if (problem === undefined) return
  throw new SenderError(
    'invalid_secret',
    `The signing secret ${problem}. The service shows it once, when you create the destination.`,
  )
}
