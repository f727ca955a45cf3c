import { readFileSync } from 'node:fs'
import type { Context } from '../context.ts'
import { CliError } from '../errors.ts'
import type { NamedSecret } from '../explain/find-slips.ts'
import { text, texts, type Values } from './option.ts'

export const secretName = 'FEED_SIGNING_SECRET'

/** Where a verb takes the signing secret from. */
export const secretOptions = {
  secretEnv: text(
    '--secret-env <NAME>',
    'environment variable with the signing secret (FEED_SIGNING_SECRET)',
  ),
  secretFile: text('--secret-file <path>', 'file with the signing secret'),
  secret: text(
    '--secret <secret>',
    'the signing secret itself; it stays in the history of your shell',
  ),
}

/** As above, for a verb that tries several. */
export const manySecretOptions = {
  secretEnv: texts(
    '--secret-env <NAME>',
    'environment variable with a secret (FEED_SIGNING_SECRET); again for more',
  ),
  secretFile: texts('--secret-file <path>', 'file with a secret on each line; again for more'),
  secret: texts('--secret <secret>', secretOptions.secret.description),
}

/**
 * Reads the one signing secret of a verb, and keeps it out of the output. White space around it is
 * only taken off in a file, which ends in a new line; elsewhere it is a mistake that shows.
 */
export function readSecret(
  { secretEnv, secretFile, secret }: Values<typeof secretOptions>,
  { env, out }: Context,
): string {
  if ([secretEnv, secretFile, secret].filter((each) => each !== undefined).length > 1) {
    throw new CliError(
      'usage',
      'Give one of --secret-env, --secret-file and --secret, not several.',
    )
  }
  if (secretFile !== undefined) return hidden(readSecretFile(secretFile).trim(), out)
  if (secret === undefined) return readVariable(secretEnv ?? secretName, { env, out })
  warn(out)
  return hidden(secret, out)
}

/** Reads a secret from the variable of that name, and keeps it out of the output. */
export function readVariable(name: string, { env, out }: Pick<Context, 'env' | 'out'>): string {
  const value = env[name] ?? ''
  if (value !== '') return hidden(value, out)
  throw new CliError(
    'no_secret',
    `There is no signing secret: the environment variable ${name} is not set, nor in ./.env. Set ` +
      'it, or use --secret-env <NAME> or --secret-file <path>.',
  )
}

/** Reads all secrets that a verb is to try, as they are, and keeps them out of the output. */
export function readSecrets(
  { secretEnv, secretFile = [], secret = [] }: Values<typeof manySecretOptions>,
  { env, out }: Context,
): NamedSecret[] {
  if (secret.length > 0) warn(out)
  const isElsewhere = secretFile.length + secret.length > 0
  const names = secretEnv ?? (isElsewhere ? [] : [secretName])
  return [
    ...names.map((name) => ({ name, value: readVariable(name, { env, out }) })),
    ...secretFile.flatMap(readSecretLines),
    ...secret.map((value) => ({ name: '--secret', value })),
  ].map(({ name, value }) => ({ name, value: hidden(value, out) }))
}

function readSecretLines(file: string): NamedSecret[] {
  const lines = readSecretFile(file).split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line, index) => ({ name: `${file}:${index + 1}`, value: line }))
}

/** The text of a file that holds a secret, as it is. */
function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const message = `The secret file ${file} cannot be read: check its path.`
    throw new CliError('unreadable_file', message, { cause })
  }
}

function warn(out: Context['out']): void {
  out.note(
    'warning: a secret on the command line stays in the history of your shell and shows in ps; ' +
      'use --secret-env or --secret-file.',
  )
}

function hidden(secret: string, { hide }: Context['out']): string {
  hide(secret)
  hide(secret.trim())
  return secret
}
