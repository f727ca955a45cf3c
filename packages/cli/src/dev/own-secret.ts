import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, statSync } from 'node:fs'
import { secretProblem } from '@feed-receiver/core/internal'
import type { Context } from '../command.ts'
import { readEnvText } from '../env-file.ts'
import { CliError, UsageError } from '../errors.ts'
import { secretName } from '../options/secret-options.ts'
import { orUndefined } from '../or-undefined.ts'

/** The app's signing secret from the environment or ./.env; undefined if there is none. */
export function findSecret({ env, out }: Pick<Context, 'env' | 'out'>): string | undefined {
  const secret = env[secretName] ?? ''
  if (secret === '') return undefined
  out.hide(secret)
  const wrong = secretProblem(secret)
  if (wrong === undefined) return secret
  throw new UsageError(
    `${secretName} ${wrong}. Correct it in the environment or in ./.env, or remove it to get a new one.`,
  )
}

/** The same. If there is none, generates a secret and adds it to ./.env for the app to read. */
export function findOrWriteSecret(context: Context, isAppRunning: boolean): string {
  const found = findSecret(context)
  if (found !== undefined) return found
  const secret = `feed_whsec_${randomBytes(24).toString('hex')}`
  context.out.hide(secret)
  if (statSync('.env', { throwIfNoEntry: false })?.isDirectory()) {
    throw new CliError(
      'no_secret',
      `./.env is a folder, so no secret can be written to it. Set ${secretName} in the environment.`,
    )
  }
  const isWithin = !/(?:^|\n)$/.test(readEnvText())
  // A new file is readable by its owner only, because it contains a secret.
  appendFileSync('.env', `${isWithin ? '\n' : ''}${secretName}=${secret}\n`, { mode: 0o600 })
  const next = isAppRunning ? ' Restart the app if it is running.' : ''
  context.out.note(`Wrote a new ${secretName} to ./.env.${next}`)
  return secret
}

/** Notes which files with secrets a commit would contain. Without Git or a repository, none. */
export function noteUnignored({ out }: Pick<Context, 'out'>): void {
  // A note about a file that cannot be read must not end dev.
  const isInFile = orUndefined(readEnvText)?.includes(secretName) === true
  const written = isInFile ? ['.env', folder] : [folder]
  const { status, stdout } = spawnSync('git', ['check-ignore', ...written], {
    encoding: 'utf8',
    timeout: 2_000,
  })
  // 1 means that none is ignored; anything else that Git cannot say.
  if (status !== 0 && status !== 1) return
  const ignored = stdout.split('\n')
  const missing = written.filter((path) => !ignored.includes(path))
  if (missing.length === 0) return
  out.note(
    `Git does not ignore ${missing.join(' and ')}, where secrets are stored. Add ${missing.length === 1 ? 'it' : 'them'} to .gitignore.`,
  )
}

const folder = '.feed-receiver/'
