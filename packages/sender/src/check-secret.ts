import { SenderError } from './errors.ts'

/**
 * Refuses what cannot be a signing secret (R197): one begins with `feed_whsec_`, has something after
 * that, and no white space around it. The whole string is the key (R198).
 *
 * @throws SenderError `invalid_secret`, which says what is wrong and never quotes the value.
 */
export function checkSecret(secret: unknown): asserts secret is string {
  const problem = findProblem(secret)
  if (!problem) return
  throw new SenderError(
    'invalid_secret',
    `The signing secret ${problem}. Give it whole, as it was shown: ${prefix}…`,
  )
}

const prefix = 'feed_whsec_'

function findProblem(secret: unknown): string | undefined {
  if (typeof secret !== 'string')
    return `is not a string but ${secret === null ? 'null' : typeof secret}`
  if (secret !== secret.trim()) return 'has white space around it'
  if (!secret.startsWith(prefix)) return `does not begin with ${prefix}`
  if (secret.length === prefix.length) return `is nothing but ${prefix}`
  return undefined
}
