import { readFileSync } from 'node:fs'
import type { OptionTable } from './check-arguments.ts'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'

/** Where a verb takes the signing secret from. */
export const secretOptions = {
  'secret-env': {
    type: 'string',
    value: 'NAME',
    help: 'environment variable with the signing secret (FEED_SIGNING_SECRET)',
  },
  'secret-file': { type: 'string', value: 'path', help: 'file with the signing secret' },
  secret: {
    type: 'string',
    value: 'secret',
    help: 'the signing secret itself; it stays in the history of your shell',
  },
} as const satisfies OptionTable

export interface SecretValues {
  'secret-env'?: string | undefined
  'secret-file'?: string | undefined
  secret?: string | undefined
}

/**
 * Reads the one signing secret of a verb, and keeps it out of the output. White space around it is
 * only taken off in a file, which ends in a new line; elsewhere it is a mistake that shows.
 */
export function readSecret(values: SecretValues, { env, out }: Context): string {
  const { 'secret-env': variable, 'secret-file': file, secret } = values
  if ([variable, file, secret].filter((each) => each !== undefined).length > 1) {
    throw new CliError(
      'usage',
      'Give one of --secret-env, --secret-file and --secret, not several.',
    )
  }
  if (secret !== undefined) {
    out.hide(secret)
    out.note(
      'warning: a secret on the command line stays in the history of your shell and shows in ps; ' +
        'use --secret-env or --secret-file.',
    )
    return secret
  }
  if (file !== undefined) return hideAndReturn(readSecretFile(file).trim(), out)
  const name = variable ?? 'FEED_SIGNING_SECRET'
  const value = env[name]
  if (value === undefined || value === '') throw missing(name)
  return hideAndReturn(value, out)
}

/** The text of a file that holds a secret, as it is. */
export function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new CliError(
      'unreadable_file',
      `The secret file ${file} cannot be read: check its path.`,
      {
        cause,
      },
    )
  }
}

function hideAndReturn(secret: string, { hide }: Context['out']): string {
  hide(secret)
  hide(secret.trim())
  return secret
}

function missing(name: string): CliError {
  return new CliError(
    'no_secret',
    `There is no signing secret: the environment variable ${name} is not set. Set it, or use ` +
      '--secret-env <NAME> or --secret-file <path>.',
  )
}
