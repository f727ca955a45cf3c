import { openDatabase } from '@feed-receiver/database'
import type { OptionTable } from './check-arguments.ts'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'
import { inboxOptions, withInbox, type InboxValues } from './open-inbox.ts'

/** Where a receiver keeps its events, for verbs that count them. */
export const storedCountOptions = {
  ...inboxOptions,
  database: {
    type: 'string',
    value: 'url|folder',
    help: 'where its inbox is; enables the checks of what is stored',
  },
  'count-sql': {
    type: 'string',
    value: 'sql',
    help: 'counts an event in tables of its own, select count(*) … = $1, in a PostgreSQL',
  },
} as const satisfies OptionTable

export interface StoredCountValues extends InboxValues {
  'count-sql'?: string | undefined
}

/** Says how often an event is stored, by its id. */
export type StoredCount = (eventId: string) => Promise<number>

/** Does some work with the count that the options name, or with none. */
export async function withStoredCount<Result>(
  options: StoredCountValues,
  context: Context,
  work: (storedCount: StoredCount | undefined) => Promise<Result>,
): Promise<Result> {
  const { database: target, 'count-sql': sql } = options
  if (target === undefined) {
    if (sql === undefined) return await work(undefined)
    throw new CliError('usage', '--count-sql needs --database <url>, where it is asked.')
  }
  if (sql === undefined) {
    return await withInbox(options, context, ({ entries }) =>
      work(async (eventId) => ((await entries.get(eventId)) === null ? 0 : 1)),
    )
  }
  context.out.hide(target)
  await using database = openDatabase(target, { applicationName: 'feed-receiver cli' })
  return await work(async (eventId) => {
    const { rows } = await database.query(sql, [eventId])
    return Number(Object.values(rows[0] ?? {})[0] ?? 0)
  })
}
