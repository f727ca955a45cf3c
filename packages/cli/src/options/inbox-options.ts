import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@feed-receiver/database'
import type { Database, DatabaseOptions, DatabaseTarget } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import type { Context } from '../command.ts'
import { problem } from '../errors.ts'
import { didYouMean, text, type Values } from './option.ts'

/** Where the verbs of `inbox` find one. */
export const inboxOptions = { database: text, source: text, schema: text }

/** Opens the inbox that the options name, for one piece of work; migrates and creates no table. */
export async function withInbox<Result>(
  options: Values<typeof inboxOptions>,
  context: Context,
  work: (inbox: Inbox, database: Database) => Promise<Result>,
): Promise<Result> {
  const { source = 'feed', schema = 'feed_inbox' } = options
  await using database = openChosen(options, context)
  // Opens nothing yet, and refuses names that cannot stand in SQL.
  createInbox({ source, schema })
  // Before the start, which would make a queue for a source that nobody has.
  const isOrdered = await findQueue(database, { source, schema })
  await using inbox = createInbox({
    database,
    source,
    schema,
    ...(isOrdered && { ordered: 'subject' }),
    migrate: false,
    onError: context.out.warn,
  })
  await inbox.start()
  return await work(inbox, database)
}

/** Opens the database that the options name; makes none where there is none. */
export function openChosen(
  { database: given }: Pick<Values<typeof inboxOptions>, 'database'>,
  { out, env }: Context,
  limits: Pick<DatabaseOptions, 'maxConnections'> = {},
): Database {
  const target = chooseTarget(given ?? env['DATABASE_URL'])
  if (typeof target === 'string') out.hide(target)
  return openDatabase(target, {
    // The embedded database of a running app stays locked; waiting covers a restart, no more.
    lockWaitMs: 1000,
    applicationName: 'feed-receiver cli',
    ...limits,
  })
}

/** Whether it is a URL and no folder; which kinds there are is the database's to say. */
export function isDatabaseUrl(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(target)
}

function chooseTarget(named = ''): DatabaseTarget {
  if (isDatabaseUrl(named)) return named
  const folder = named || join('.feed-receiver', 'database')
  // Opening would create one, and an inbox that nobody writes to helps nobody.
  if (existsSync(join(folder, 'data'))) return { folder }
  throw problem('no_inbox', 'folder', { folder })
}

/**
 * Whether the queue of a source is ordered; refuses a source that has none. Where there are no queues
 * at all, the start of the inbox says what is missing.
 */
async function findQueue(
  database: Database,
  { source, schema }: { source: string; schema: string },
): Promise<boolean> {
  const table = `"${schema.replaceAll('"', '""')}_queue".queue`
  const { rows } = await database.query<{ isThere: boolean }>(
    'select to_regclass($1::text) is not null as "isThere"',
    [table],
  )
  if (rows[0]?.isThere !== true) return false
  const queues = await database.query<{ name: string }>(`select name from ${table} order by name`)
  const names = queues.rows.map(({ name }) => name).filter((name) => !/^__|_dead$/.test(name))
  const sources = [...new Set(names.map((name) => name.replace(/_ordered$/, '')))]
  if (sources.length === 0 || sources.includes(source)) return names.includes(`${source}_ordered`)
  const guess = didYouMean(source, sources)
  throw problem('not_found', 'source', { source, guess, sources: sources.join(', ') })
}
