import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { texts, type Values } from './option.ts'

export const secretName = 'FEED_SIGNING_SECRET'

export const secretOptions = {
  secretEnv: texts('--secret-env <NAME>', 'variable with the signing secret (FEED_SIGNING_SECRET)'),
  secretFile: texts('--secret-file <path>', 'file with the signing secret'),
  secret: texts('--secret <secret>', 'the signing secret itself; it stays in your shell history'),
}

/**
 * Reads the signing secret of a verb, and redacts it from the output. White space around it is
 * trimmed only in a file, which ends in a newline. Elsewhere it is a mistake to be shown.
 */
export function readSecret(values: Values<typeof secretOptions>, context: Context): string {
  const { secretEnv, secretFile, secret } = values
  // As for any option that may be given once.
  const last = (given: string[] | undefined) => given?.slice(-1)
  const once = { secretEnv: last(secretEnv), secretFile: last(secretFile), secret: last(secret) }
  const [found, another] = readSecrets(once, context)
  if (another)
    throw new UsageError(
      'Several secrets are given, but this command signs with one. Use --secret-env, --secret-file with one line, or --secret.',
    )
  const value = found?.value ?? ''
  return secretFile ? value.trim() : value
}

/** Reads all secrets that a verb is to try, unchanged, and redacts them from the output. */
export function readSecrets(
  { secretEnv, secretFile = [], secret = [] }: Values<typeof secretOptions>,
  context: Context,
) {
  const { out } = context
  if (secret.length > 0) {
    out.note(
      'warning: a secret on the command line stays in your shell history and is visible in ps. ' +
        'Use --secret-env or --secret-file.',
    )
  }
  const isElsewhere = secretFile.length + secret.length > 0
  const names = secretEnv ?? (isElsewhere ? [] : [secretName])
  const found = [
    ...names.map((name) => ({ name, value: readVariable(name, context) })),
    ...secretFile.flatMap(readSecretFile),
    ...secret.map((value) => ({ name: '--secret', value })),
  ]
  for (const { value } of found) hideSecret(value, out)
  return found
}

/** What a variable holds, and what to do if it is not set. */
const variables = {
  no_secret: {
    what: 'The signing secret',
    fix: 'Set it, or use --secret-env <NAME> or --secret-file <path>.',
  },
  no_token: { what: 'The token', fix: 'Set it, or leave out --token-env to get a new token.' },
  no_console: {
    what: 'The token of the console',
    fix: 'Set it to the token of the deployed console, or name another variable with --token-env.',
  },
}

/** The token of a server: that of the variable, or a new one for this run, which is to be shown. */
export function readToken(tokenEnv: string | undefined, context: Context) {
  if (tokenEnv === undefined) return { token: randomBytes(24).toString('hex'), isNew: true }
  return { token: readVariable(tokenEnv, context, 'no_token'), isNew: false }
}

/** Reads a secret from the variable of that name, and redacts it from the output. */
export function readVariable(
  name: string,
  { env, out }: Context,
  code: keyof typeof variables = 'no_secret',
): string {
  const value = env[name] ?? ''
  if (value === '') {
    const { what, fix } = variables[code]
    throw new CliError(
      code,
      `${what} is missing: ${name} is not set in the environment or in ./.env. ${fix}`,
    )
  }
  hideSecret(value, out)
  return value
}

function readSecretFile(file: string) {
  const lines = readLines(file).filter((line) => line.trim() !== '')
  if (lines.length === 0)
    throw new UsageError(`The secret file ${file} is empty. Write the signing secret to it.`)
  return lines.map((line, at) => ({ name: `${file}:${at + 1}`, value: line }))
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (cause) {
    throw new UsageError(
      `The secret file ${file} cannot be read. Check its path and its permissions.`,
      cause,
    )
  }
}

function hideSecret(secret: string, out: Context['out']): void {
  out.hide(secret)
  out.hide(secret.trim())
}
