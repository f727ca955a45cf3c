import { secretProblem } from '@feed-receiver/core'
import { SenderError } from './errors.ts'

/**
 * Refuses what cannot be a signing secret, as a receiver does.
 *
 * @throws SenderError `invalid_secret`, which says what is wrong and never quotes the value.
 */
export function checkSecret(secret: unknown): asserts secret is string {
  const problem = secretProblem(secret)
  if (problem === undefined) return
  throw new SenderError(
    'invalid_secret',
    `The signing secret ${problem}. The service showed it once, when the destination was made.`,
  )
}
