import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'

export const secretName = 'FEED_SIGNING_SECRET'

/** The signing secret that the app has: of the environment, else of ./.env; undefined for none. */
export function findSecret({ env, out }: Context): string | undefined {
  const isInEnv = env[secretName] !== undefined && env[secretName] !== ''
  const secret = isInEnv ? env[secretName] : readFromFile()
  if (secret === undefined || secret === '') return undefined
  out.hide(secret)
  if (/^feed_whsec_[\x21-\x7e]{1,500}$/.test(secret)) return secret
  throw new CliError(
    'usage',
    `${secretName} of ${isInEnv ? 'the environment' : './.env'} is no signing secret, which begins ` +
      'with feed_whsec_ and has no spaces. Correct it, or take it away and one is made.',
  )
}

function readFromFile(): string | undefined {
  if (!existsSync('.env')) return undefined
  try {
    return parseEnv(readFileSync('.env', 'utf8'))[secretName]
  } catch (cause) {
    throw new CliError('unreadable_file', './.env cannot be read: check who may read it.', {
      cause,
    })
  }
}
