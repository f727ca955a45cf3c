import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, readTarget } from '@feed-receiver/database'
import type { Database, DatabaseOptions, DatabaseTarget } from '@feed-receiver/database'
import { createInbox, readShards, shardInbox, type Inbox } from '@feed-receiver/inbox'
import type { Context } from '../command.ts'
import { CliError, problem } from '../errors.ts'
import { didYouMean, text, type Values } from './option.ts'

/** The options that name the inbox for the `inbox` verbs. */
export const inboxOptions = { database: text, source: text, schema: text }

/**
 * Opens the inbox that the options name, for one piece of work, without migrating or creating
 * tables. Several URLs are one inbox over several shards. The database passed on is that of the
 * first.
 */
export async function withInbox<Result>(
  options: Values<typeof inboxOptions>,
  context: Context,
  work: (inbox: Inbox, database: Database) => Promise<Result>,
): Promise<Result> {
  const { source = 'feed', schema = 'feed_inbox' } = options
  const onError = context.out.warn
  const { databases, previous } = readNamed(options, context)
  await using opened = openEach(databases, context)
  // Opens nothing yet, and rejects names that SQL does not allow.
  createInbox({ source, schema })
  // Before the start, which would create a queue for an unknown source.
  const isOrdered = await findQueues(opened.all, { source, schema })
  const inboxes = opened.all.map((one) =>
    createInbox({
      database: one,
      source,
      schema,
      ...(isOrdered && { ordered: 'subject' }),
      migrate: false,
      onError,
    }),
  )
  const [alone, ...others] = inboxes
  const isOne = alone && others.length === 0
  await using inbox = isOne ? alone : shardInbox(inboxes, { previous, onError })
  await inbox.start()
  return await work(inbox, opened.first)
}

/**
 * Opens the databases of the inbox that the options name, in the order of its shards, without
 * starting the inbox: for a role that may only read.
 */
export async function withDatabases<Result>(
  options: Values<typeof inboxOptions>,
  context: Context,
  work: (
    databases: readonly Database[],
    names: Record<'source' | 'schema', string>,
  ) => Promise<Result>,
): Promise<Result> {
  const { source = 'feed', schema = 'feed_inbox' } = options
  await using opened = openEach(readNamed(options, context).databases, context)
  await findQueues(opened.all, { source, schema })
  return await work(opened.all, { source, schema })
}

/** Opens databases, to be closed together. */
function openEach(named: readonly string[], context: Context) {
  const [head = '', ...others] = named
  const first = openChosen({ database: head }, context)
  const all = [first, ...others.map((database) => openChosen({ database }, context))]
  return {
    first,
    all,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((database) => database.close()))
    },
  }
}

/** The target of the option or the variable: one database, or several shards. */
function readNamed(
  { database: given }: Pick<Values<typeof inboxOptions>, 'database'>,
  { out, env }: Context,
): ReturnType<typeof readShards> {
  const named = given ?? env['DATABASE_URL'] ?? ''
  const isList = isDatabaseUrl(named.trim()) && /\s/.test(named.trim())
  if (!isList) return { databases: [named], previous: [] }
  out.hide(named)
  const shards = readShards(named)
  for (const url of shards.databases) out.hide(url)
  return shards
}

/** Opens the database that the options name, and creates none. */
export function openChosen(
  { database: given }: Pick<Values<typeof inboxOptions>, 'database'>,
  { out, env }: Context,
  limits: Pick<DatabaseOptions, 'maxConnections'> = {},
): Database {
  const named = given ?? env['DATABASE_URL']
  if (named && isDatabaseUrl(named) && /\s/.test(named)) throw problem('usage', 'one_database')
  const target = chooseTarget(named)
  if (typeof target === 'string') out.hide(target)
  return openDatabase(target, {
    isGuest: true,
    applicationName: 'feed-receiver cli',
    ...limits,
  })
}

/** Whether it is a URL and not a folder. The database package knows the kinds. */
export function isDatabaseUrl(target: string): boolean {
  return /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(target)
}

function chooseTarget(named = ''): DatabaseTarget {
  if (isDatabaseUrl(named)) return named
  const folder = readFolder(named) || join('.feed-receiver', 'database')
  // Opening would create a database, and an inbox without a writer is useless.
  if (existsSync(join(folder, 'data'))) return { folder }
  throw problem('no_inbox', 'folder', { folder })
}

/** The folder that a path or `file:<folder>` names. */
export function readFolder(named: string): string {
  const target = readTarget(named)
  return typeof target === 'object' && 'folder' in target ? target.folder : named
}

/** Like `findQueue` for all shards. Some may be down, because their health is to be shown. */
async function findQueues(
  databases: readonly Database[],
  names: { source: string; schema: string },
): Promise<boolean> {
  const found = await Promise.allSettled(databases.map((database) => findQueue(database, names)))
  const failed = found.filter((one) => one.status === 'rejected')
  const mistake = failed.find(({ reason }) => reason instanceof CliError)
  if (mistake || failed.length === found.length) throw mistake?.reason ?? failed[0]?.reason
  return found.some((one) => one.status === 'fulfilled' && one.value)
}

/**
 * Whether the queue of a source is ordered. Rejects a source without a queue, and a database
 * without an inbox.
 */
async function findQueue(
  database: Database,
  { source, schema }: { source: string; schema: string },
): Promise<boolean> {
  const quoted = `"${schema.replaceAll('"', '""')}"`
  const table = `${quoted}.queue`
  const { rowCount } = await database.query('select where to_regclass($1) is not null', [table])
  if (rowCount === 0) throw problem('not_migrated', 'database', { schema })
  const queues = await database.query<{ name: string }>(`select name from ${table} order by name`)
  const names = queues.rows.map(({ name }) => name).filter((name) => !/^__|_dead$/.test(name))
  const sources = [...new Set(names.map((name) => name.replace(/_ordered$/, '')))]
  if (sources.length === 0 || sources.includes(source)) return names.includes(`${source}_ordered`)
  const guess = didYouMean(source, sources)
  throw problem('not_found', 'source', { source, guess, sources: sources.join(', ') })
}
