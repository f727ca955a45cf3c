import { codeOf, isError } from '@feed-receiver/core/internal'
import { DatabaseError } from '@feed-receiver/database'
import type { Sandbox, SandboxOptions } from '@feed-receiver/sandbox'
import type { Context } from '../command.ts'
import { CliError, isNamed, UsageError } from '../errors.ts'
import { isDatabaseUrl, readFolder } from '../options/inbox-options.ts'
import { publishLink } from './running-feed.ts'

interface FeedOptions extends Omit<SandboxOptions, 'database' | 'onError'> {
  /** A URL or a folder. A URL is redacted from the output. */
  database: string | undefined
  /** The option of the command that names the database. */
  option: '--feed' | '--database'
}

/** Runs the feed service for one piece of work. Commands in other terminals find it meanwhile. */
export async function runFeed<Result>(
  { database, option, ...options }: FeedOptions,
  context: Pick<Context, 'out' | 'signal'>,
  work: (service: Sandbox) => Promise<Result>,
): Promise<Result> {
  const { out } = context
  const isFolder = database !== undefined && !isDatabaseUrl(database)
  const target = isFolder ? { folder: readFolder(database) } : database
  if (typeof target === 'string') out.hide(target)
  // Imported here, so that other verbs do not load the server.
  const { createSandbox } = await import('@feed-receiver/sandbox')
  try {
    await using service = createSandbox({ ...options, database: target, onError: out.warn })
    await service.start()
    const unpublishLink = await publishLink(service.controlUrl, context)
    try {
      return await work(service)
    } finally {
      unpublishLink()
      out.progress('stopping …')
    }
  } catch (error) {
    throw toCliError(error, option)
  }
}

function toCliError(error: unknown, option: FeedOptions['option']): unknown {
  if (error instanceof DatabaseError && error.code === 'locked') {
    return new CliError(
      'feed_in_use',
      `Another feed-receiver dev or sandbox uses this feed. Use that one, stop it, or choose another feed here: ${option} <folder>.`,
      error,
    )
  }
  if (isNamed(error, 'Rejection')) return new CliError('rejected', error.message, error)
  if (!isNamed(error, 'SandboxError')) return error
  if (codeOf(error) !== 'port_taken') return new UsageError(error.message, error)
  // npm adds the options of `npm run dev -- …` after the command of the app.
  const where = option === '--feed' ? ', before the -- and the command of your app' : ''
  return new CliError(
    'port_taken',
    `Port ${portOf(error.cause)} is in use. Stop the process that listens there, or use a free port with --port 0${where}.`,
    error,
  )
}

/** The port that a server could not listen on. */
function portOf(cause: unknown): string {
  return isError(cause) && 'port' in cause ? String(cause.port) : 'of the sandbox'
}
