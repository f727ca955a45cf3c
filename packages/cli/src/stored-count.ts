import type { Context } from './command.ts'
import { UsageError } from './errors.ts'
import { inboxOptions, openChosen, withShards } from './options/inbox-options.ts'
import { text, type Values } from './options/option.ts'
import { describeError } from './output/describe-error.ts'
import type { RunChecksOptions } from './conformance/check/run-checks.ts'
import { readShell } from './process-group.ts'

export const storeOptions = {
  ...inboxOptions,
  database: text(
    '--database <url|folder>',
    'database of the inbox, to check what is stored (DATABASE_URL)',
  ),
  countSql: text('--count-sql <sql>', 'query of your own tables: select count(*) … where id = $1'),
  countCommand: text(
    '--count-command <command>',
    'command that prints how often $FEED_EVENT_ID is stored',
  ),
}

type StoredCount = NonNullable<RunChecksOptions['storedCount']>

/** Passes `work` a function that counts stored events, if the options say how. */
export async function withStoredCount<Result>(
  options: Values<typeof storeOptions>,
  context: Context,
  work: (storedCount: StoredCount | undefined) => Promise<Result>,
): Promise<Result> {
  const { countSql, countCommand } = options
  if (countCommand !== undefined) {
    if ((options.database ?? countSql) !== undefined)
      throw new UsageError('--count-command excludes --database and --count-sql. Leave them out.')
    return await work((eventId) => countByCommand(countCommand, eventId, context))
  }
  // An empty variable counts as missing.
  const target = options.database ?? (context.env['DATABASE_URL'] || undefined)
  if (target === undefined) {
    if (countSql === undefined) return await work(undefined)
    throw new UsageError(
      '--count-sql needs a database to query. Add --database <url|folder>, or set DATABASE_URL.',
    )
  }
  if (countSql === undefined) return await countInInbox(options, context, work)
  await using database = openChosen(options, context)
  return await work(async (eventId) => {
    const { rows } = await database.query(countSql, [eventId])
    return Number(Object.values(rows[0] ?? {})[0] ?? 0)
  })
}

const commandLimitMs = 15_000

/** The number that the user's command prints. The id is a variable: nothing needs quoting. */
async function countByCommand(
  command: string,
  eventId: string,
  { signal: outer }: Context,
): Promise<number> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(commandLimitMs)])
  const printed = await readShell(command, { variables: { FEED_EVENT_ID: eventId }, signal })
  if (/^\s*\d+\s*$/.test(printed)) return Number(printed)
  throw new Error('the command must print one whole number and nothing else')
}

/** Counts nothing if `DATABASE_URL` has no inbox. The app may store its events in another way. */
async function countInInbox<Result>(
  options: Values<typeof storeOptions>,
  context: Context,
  work: (storedCount: StoredCount | undefined) => Promise<Result>,
): Promise<Result> {
  let isOpen = false
  try {
    return await withShards(options, context, ({ shards }) => {
      isOpen = true
      return work(async (eventId) => {
        const found = await Promise.all(shards.map(({ entries }) => entries.get(eventId)))
        return found.filter((entry) => entry !== null).length
      })
    })
  } catch (error) {
    if (isOpen || options.database !== undefined) throw error
    const { message } = describeError(error, context.signal)
    context.out.note(`Stored events are not counted in DATABASE_URL. ${message}`)
    return await work(undefined)
  }
}
