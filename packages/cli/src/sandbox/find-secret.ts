import { secretProblem } from '@feed-receiver/core'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'

export const secretName = 'FEED_SIGNING_SECRET'

/** The signing secret that the app has, of the environment or of ./.env; undefined for none. */
export function findSecret({ env, out }: Context): string | undefined {
  const secret = env[secretName]
  if (secret === undefined || secret === '') return undefined
  out.hide(secret)
  const problem = secretProblem(secret)
  if (problem === undefined) return secret
  throw new CliError(
    'usage',
    `${secretName} ${problem}. Correct it in the environment or in ./.env, or take it away and one ` +
      'is made.',
  )
}
