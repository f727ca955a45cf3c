import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  openDatabase,
  type Database,
  type DatabaseOptions,
  type DatabaseTarget,
} from '@feed-receiver/database'
import { readTarget } from '@feed-receiver/database/internal'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { queueName, sourceOfQueue } from '@feed-receiver/inbox/internal'
import { citusDatabase, readShards, shardInbox, type ShardedInbox } from '@feed-receiver/shards'
import type { Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { didYouMean, integer, text, type Values } from './option.ts'

export const inboxOptions = {
  database: text(
    '--database <url|folder>',
    'PostgreSQL URL, URLs of shards in quotes, or embedded folder (DATABASE_URL, else .feed-receiver/database)',
  ),
  shard: integer(
    '--shard <number>',
    'one of several shards, from 1; health, doctor and prune work on all without it',
  ),
  source: text('--source <name>', 'name of the feed, as in createInbox (feed)'),
  schema: text('--schema <name>', 'schema of the inbox tables (feed_inbox)'),
}

type Named = Values<typeof inboxOptions>

interface InboxNames {
  source: string
  schema: string
}

function namesOf({ source = 'feed', schema = 'feed_inbox' }: Named): InboxNames {
  return { source, schema }
}

/** An extension that a command needs if an inbox has it. */
export interface CommandExtension {
  name: string
  /** For an extension that an inbox has once its tables exist. Others are recorded by source. */
  migrations?: Readonly<Record<string, string>>
  add(inbox: Inbox): unknown
}

/** A command must not bring in a new extension. */
async function hasExtension(
  database: Database,
  { source, schema }: InboxNames,
  { name, migrations }: CommandExtension,
): Promise<boolean> {
  if (migrations) {
    const missing = await database.missingMigrations(migrations, { schema, owner: name })
    return missing.length === 0
  }
  const { rowCount } = await database.query(
    `select from "${schema}".extension where source = $1 and name = $2`,
    [source, name],
  )
  return rowCount === 1
}

/** An inbox, or several as one, with what is read from each shard. */
export interface OpenShards {
  inbox: Pick<ShardedInbox, 'health' | 'prune'>
  shards: readonly [Inbox, ...Inbox[]]
  /** That of the first shard. */
  database: Database
}

/** Like `withShards`, for an inbox that is not sharded, or the shard of `--shard`. */
export async function withInbox<Result>(
  options: Named,
  context: Context,
  work: (inbox: Inbox) => Promise<Result>,
  extensions?: readonly CommandExtension[],
): Promise<Result> {
  const shard = { ...options, database: chooseOne(options, context), shard: undefined }
  return await withShards(shard, context, ({ shards: [inbox] }) => work(inbox), extensions)
}

/**
 * Opens the inbox that the options name, for one piece of work, without migrating or creating
 * tables. Without `--shard` it opens all shards, of which some may be down. Adds those of the
 * extensions that the inbox has.
 */
export async function withShards<Result>(
  options: Named,
  context: Context,
  work: (open: OpenShards) => Promise<Result>,
  extensions: readonly CommandExtension[] = [],
): Promise<Result> {
  const { databases: all, previous } = readNamed(options, context)
  const named = options.shard === undefined ? all : [chooseOne(options, context)]
  const names = namesOf(options)
  // Opens nothing yet, and rejects names that SQL does not allow.
  createInbox(names)
  const databases = named.map((database) => openNamed(database, context))
  const inboxes: Inbox[] = []
  try {
    // Before the start, which would create a queue for an unknown source.
    const { isOrdered, isOnCitus } = await findQueues(databases, names)
    for (const [index, database] of databases.entries()) {
      const inbox = createInbox({
        ...names,
        database: isOnCitus ? citusDatabase(database) : database,
        instance: String(index + 1),
        ...(isOrdered && { ordered: 'subject' }),
        migrate: false,
        onError: context.out.warn,
      })
      inboxes.push(inbox)
      for (const extension of extensions) {
        // A shard that is down is reported when the inbox starts.
        const isThere = hasExtension(database, names, extension).catch(() => false)
        if (await isThere) extension.add(inbox)
      }
    }
    const [first, ...others] = inboxes
    const [database] = databases
    if (!first || !database) throw new UsageError('Name a database with --database.')
    const shards = [first, ...others] as const
    const isOne = others.length === 0
    await using inbox = isOne ? first : shardInbox(shards, { previous, onError: context.out.warn })
    await inbox.start()
    return await work({ inbox, shards, database })
  } finally {
    await Promise.all(inboxes.map((inbox) => inbox.stop()))
    await Promise.all(databases.map((database) => database.close()))
  }
}

/**
 * Opens the database of the inbox that the options name without starting the inbox: for a role that
 * may only read.
 */
export async function withDatabase<Result>(
  options: Named,
  context: Context,
  work: (database: Database, names: InboxNames) => Promise<Result>,
): Promise<Result> {
  await using database = openChosen(options, context)
  await findQueue(database, namesOf(options))
  return await work(database, namesOf(options))
}

/** The target of the option or the variable: one database, or several shards. */
function readNamed({ database: given }: Pick<Named, 'database'>, { out, env }: Context) {
  const named = given ?? env['DATABASE_URL'] ?? ''
  const isList = isDatabaseUrl(named.trim()) && /\s/.test(named.trim())
  if (!isList) return { databases: [named], previous: [] }
  out.hide(named)
  const shards = readShards(named)
  for (const url of shards.databases) out.hide(url)
  return shards
}

function chooseOne(options: Pick<Named, 'database' | 'shard'>, context: Context): string {
  const { databases } = readNamed(options, context)
  const { shard = databases.length === 1 ? 1 : undefined } = options
  const chosen = databases[(shard ?? 0) - 1]
  if (chosen !== undefined) return chosen
  const shards = databases.map((url, index) => `${index + 1} (${describeDatabase(url)})`).join(', ')
  throw new UsageError(
    shard === undefined
      ? `This command works on one shard, but there are ${databases.length}: ${shards}. Choose one with --shard <number>.`
      : `There is no shard ${shard}. The shards are: ${shards}. Choose one of them with --shard.`,
  )
}

/** The host and the name of a database, without its password. */
function describeDatabase(url: string): string {
  if (!URL.canParse(url)) return 'database'
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** Opens the database that the options name, and creates none. */
export function openChosen(
  options: Pick<Named, 'database' | 'shard'>,
  context: Context,
  limits: OpenLimits = {},
): Database {
  return openNamed(chooseOne(options, context), context, limits)
}

function openNamed(named: string, { out }: Context, limits: OpenLimits = {}): Database {
  const target = chooseTarget(named)
  if (typeof target === 'string') out.hide(target)
  return openDatabase(target, { isGuest: true, applicationName: 'feed-receiver cli', ...limits })
}

type OpenLimits = Pick<DatabaseOptions, 'maxConnections'>

/** Whether it is a URL and not a folder. The database package knows the kinds. */
export function isDatabaseUrl(target: string): boolean {
  return /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(target)
}

function chooseTarget(named = ''): DatabaseTarget {
  if (isDatabaseUrl(named)) return named
  const folder = readFolder(named) || join('.feed-receiver', 'database')
  // Opening would create a database, and an inbox without a writer is useless.
  if (existsSync(join(folder, 'data'))) return { folder }
  throw new CliError(
    'no_inbox',
    `There is no embedded database in ${folder}. Run this where the app runs, or set --database <url|folder> or DATABASE_URL.`,
  )
}

/** The folder that a path or `file:<folder>` names. */
export function readFolder(named: string): string {
  const target = readTarget(named)
  return typeof target === 'object' && 'folder' in target ? target.folder : named
}

/** Like `findQueue` for all shards. Some may be down, because their health is to be shown. */
async function findQueues(databases: readonly Database[], names: InboxNames) {
  const found = await Promise.allSettled(databases.map((database) => findQueue(database, names)))
  const failed = found.filter((one) => one.status === 'rejected')
  const mistake = failed.find(({ reason }) => reason instanceof CliError)
  if (mistake || failed.length === found.length) throw mistake?.reason ?? failed[0]?.reason
  const known = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return {
    isOrdered: known.some(({ isOrdered }) => isOrdered),
    isOnCitus: known.some(({ isOnCitus }) => isOnCitus),
  }
}

/**
 * Whether the queue of a source is ordered, and whether the database is the coordinator of a Citus
 * cluster. Rejects a source without a queue, and a database without an inbox.
 */
async function findQueue(database: Database, { source, schema }: InboxNames) {
  const table = `"${schema.replaceAll('"', '""')}".queue`
  const { rows } = await database.query<{ isOnCitus: boolean }>(
    `select exists (select from pg_extension where extname = 'citus') as "isOnCitus"
     where to_regclass($1) is not null`,
    [table],
  )
  const [{ isOnCitus } = { isOnCitus: false }] = rows
  if (rows.length === 0)
    throw new CliError(
      'not_migrated',
      `This database has no inbox in the schema ${schema}. Start the app once, or use its database as --database and its schema as --schema.`,
    )
  // An inbox whose order has changed has two, of which its workers keep their own the latest.
  const queues = await database.query<{ name: string }>(
    `select name from ${table} order by updated_on desc, name`,
  )
  const names = queues.rows.map(({ name }) => name)
  const found = names.map(sourceOfQueue).filter((one) => one !== undefined)
  const sources = [...new Set(found)].toSorted()
  if (sources.length === 0 || sources.includes(source)) {
    const latest = names.find((name) => sourceOfQueue(name) === source)
    return { isOrdered: latest === queueName(source, true), isOnCitus }
  }
  const guess = didYouMean(source, sources)
  throw new CliError(
    'not_found',
    `This inbox has no source ${source}.${guess} Its sources are: ${sources.join(', ')}.`,
  )
}
