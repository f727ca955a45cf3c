import { codeOf, isError } from '@feed-receiver/core/internal'
import { DatabaseError, type DatabaseTarget } from '@feed-receiver/database'
import type { Context } from '../command.ts'
import { CliError, isNamed, UsageError } from '../errors.ts'
import { isDatabaseUrl, readFolder } from '../options/inbox-options.ts'

/** Parses the option for the sandbox's database. A URL is redacted from the output. */
export function readSandboxDatabase(
  written: string | undefined,
  { out }: Pick<Context, 'out'>,
): DatabaseTarget | undefined {
  if (written === undefined) return undefined
  out.hide(written)
  return isDatabaseUrl(written) ? written : { folder: readFolder(written) }
}

/** Runs a sandbox, and converts its errors to those of a command. */
export async function withSandboxErrors<Result>(
  option: '--feed' | '--database',
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'locked') {
      throw new CliError(
        'feed_in_use',
        `Another feed-receiver dev or sandbox uses this feed. Use that one, stop it, or choose another feed here: ${option} <folder>.`,
        error,
      )
    }
    if (isNamed(error, 'Rejection')) throw new CliError('rejected', error.message, error)
    if (!isNamed(error, 'SandboxError')) throw error
    if (codeOf(error) !== 'port_taken') throw new UsageError(error.message, error)
    // npm adds the options of `npm run dev -- …` after the command of the app.
    const place = option === '--feed' ? ', before the -- and the command of your app' : ''
    throw new CliError(
      'port_taken',
      `Port ${portOf(error.cause)} is in use. Stop the process that listens there, or use a free port with --port 0${place}.`,
      error,
    )
  }
}

/** The port that a server could not listen on. */
function portOf(cause: unknown): string {
  return isError(cause) && 'port' in cause ? String(cause.port) : 'of the sandbox'
}
