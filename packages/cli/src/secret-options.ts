import { readFileSync } from 'node:fs'
import type { OptionTable } from './check-arguments.ts'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'
import type { NamedSecret } from './explain/find-slips.ts'

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

/** As above, for a verb that tries several. */
export const manySecretOptions = {
  'secret-env': {
    ...secretOptions['secret-env'],
    multiple: true,
    help: 'environment variable with a secret (FEED_SIGNING_SECRET); again for more',
  },
  'secret-file': {
    ...secretOptions['secret-file'],
    multiple: true,
    help: 'file with a secret on each line; again for more',
  },
  secret: { ...secretOptions.secret, multiple: true },
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
    warn(out)
    return secret
  }
  if (file !== undefined) return hideAndReturn(readSecretFile(file).trim(), out)
  return readVariable(variable ?? 'FEED_SIGNING_SECRET', { env, out })
}

/** Reads a secret from the variable of that name, and keeps it out of the output. */
export function readVariable(name: string, { env, out }: Pick<Context, 'env' | 'out'>): string {
  const value = env[name]
  if (value === undefined || value === '') throw missing(name)
  return hideAndReturn(value, out)
}

export interface ManySecretValues {
  'secret-env'?: string[] | undefined
  'secret-file'?: string[] | undefined
  secret?: string[] | undefined
}

/** Reads all secrets that a verb is to try, as they are, and keeps them out of the output. */
export function readSecrets(values: ManySecretValues, { env, out }: Context): NamedSecret[] {
  const { 'secret-env': variables, 'secret-file': files = [], secret: given = [] } = values
  if (given.length > 0) warn(out)
  const isElsewhere = files.length + given.length > 0
  const names = variables ?? (isElsewhere ? [] : ['FEED_SIGNING_SECRET'])
  const found = [
    ...names.map((name) => ({ name, value: env[name] ?? '' })),
    ...files.flatMap(readSecretLines),
    ...given.map((value) => ({ name: '--secret', value })),
  ]
  for (const { name, value } of found) {
    if (value === '') throw missing(name)
    hideAndReturn(value, out)
  }
  return found
}

function readSecretLines(file: string): NamedSecret[] {
  const lines = readSecretFile(file).split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line, index) => ({ name: `${file}:${index + 1}`, value: line }))
}

function warn(out: Context['out']): void {
  out.note(
    'warning: a secret on the command line stays in the history of your shell and shows in ps; ' +
      'use --secret-env or --secret-file.',
  )
}

/** The text of a file that holds a secret, as it is. */
function readSecretFile(file: string): string {
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
    `There is no signing secret: the environment variable ${name} is not set, nor in ./.env. Set ` +
      'it, or use --secret-env <NAME> or --secret-file <path>.',
  )
}
