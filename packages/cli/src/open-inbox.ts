import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, type Database, type DatabaseTarget } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import type { OptionTable } from './check-arguments.ts'
import type { Context } from './context.ts'
import { CliError } from './errors.ts'
import { findSource } from './find-source.ts'

/** Where the verbs of `inbox` find one. */
export const inboxOptions = {
  database: {
    type: 'string',
    value: 'url|folder',
    help: 'PostgreSQL URL or embedded folder (DATABASE_URL, else .feed-receiver/database)',
  },
  source: { type: 'string', value: 'name', help: 'the feed, as createInbox names it (feed)' },
  schema: { type: 'string', value: 'name', help: 'schema of the tables (feed_inbox)' },
} as const satisfies OptionTable

export interface InboxValues {
  database?: string | undefined
  source?: string | undefined
  schema?: string | undefined
}

/** Opens the inbox that the options name, for one piece of work; migrates and creates no table. */
export async function withInbox<Result>(
  { database: given, source = 'feed', schema = 'feed_inbox' }: InboxValues,
  { out, env }: Context,
  work: (inbox: Inbox, database: Database) => Promise<Result>,
): Promise<Result> {
  const target = chooseTarget(given, env['DATABASE_URL'])
  if (typeof target === 'string') out.hide(target)
  // The embedded database of a running app stays locked; waiting covers a restart, no more.
  await using database = openDatabase(target, {
    lockWaitMs: 1000,
    applicationName: 'feed-receiver cli',
  })
  // Opens nothing yet, and refuses names that cannot stand in SQL.
  createInbox({ source, schema })
  // Before the start, which would make a queue for a source that nobody has.
  const { isOrdered } = await findSource(database, schema, source)
  await using inbox = createInbox({
    database,
    source,
    schema,
    ...(isOrdered && { ordered: 'subject' }),
    migrate: false,
    onError: (error) => out.note(`warning: ${error instanceof Error ? error.message : 'unknown'}`),
  })
  await inbox.start()
  return await work(inbox, database)
}

/** Whether it is a URL and no folder; which kinds there are is the database's to say. */
export function isDatabaseUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
}

function chooseTarget(given: string | undefined, fromEnv: string | undefined): DatabaseTarget {
  const named = given ?? (fromEnv === '' ? undefined : fromEnv)
  if (named !== undefined && isDatabaseUrl(named)) return named
  const folder = named ?? join('.feed-receiver', 'database')
  // Opening would create one, and an inbox that nobody writes to helps nobody.
  if (existsSync(join(folder, 'data'))) return { folder }
  throw new CliError(
    'no_inbox',
    `There is no embedded database in ${folder}. Run this where the app runs, or name its database ` +
      'with --database <url|folder> or DATABASE_URL.',
  )
}
