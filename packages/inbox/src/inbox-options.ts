import type { Database, DatabaseTarget } from '@feed-receiver/database'
import { checkOption, checkTime } from './errors.ts'
import { warnOfPriorities } from './handle/warn-of-types.ts'
import type { RunInTransaction } from './queue/queue.ts'

export interface InboxOptions {
  /**
   * A PostgreSQL URL, the app's `pg.Pool`, `{ folder }` for an embedded database, or an open
   * `Database`, which the inbox then does not close.
   * @default { folder: '.feed-receiver/database' }
   */
  database?: DatabaseTarget | Database | undefined
  /**
   * A URL that leads to PostgreSQL directly, for workers to hear of new events where `database` goes
   * through PgBouncer in transaction mode; without it they ask twice a second there.
   * @default the same as `database`
   */
  listenUrl?: string | undefined
  /**
   * Names the feed, never the route: push and pull of one feed share it, and dedupe each other.
   * @default 'feed'
   */
  source?: string
  /**
   * The schema of the tables, those of the queue included.
   * @default 'feed_inbox'
   */
  schema?: string
  /**
   * With `'subject'`, events about one subject of one provider are handled one after the other, in
   * the order in which they were accepted; those behind one that fails wait until it is done or dead.
   * Every process of one inbox has to say the same.
   * @default as they come, several at once
   */
  ordered?: 'subject' | undefined
  /**
   * Which event types are claimed before others, by a whole number: the higher first, and all that
   * are not named have 0. It is written into each job, so processes that store events set it.
   * @default {}
   */
  priority?: Readonly<Record<string, number>>
  /**
   * Whether `start` installs and migrates the tables. Without, it changes nothing about them, needs a
   * role that may only read and write rows, and fails with `not_migrated` where something is missing.
   * @default true
   */
  migrate?: boolean
  /**
   * How long `stop` waits for running handlers, in milliseconds; their signals are aborted when four
   * fifths of it are over.
   * @default 25_000
   */
  stopTimeoutMs?: number
  /**
   * Told of what fails in the background, such as a lost connection that will be made again. What it
   * cannot take itself becomes a warning of the process.
   * @default process.emitWarning, the same text at most once a minute
   */
  onError?: (error: unknown) => unknown
}

export interface TransactionOptions<AppTx> {
  /**
   * Opens the app's own transaction, of Drizzle or Kysely for example, on the database of the inbox.
   * Handlers get it as `tx`, and their entry is marked as done in it.
   */
  transaction: RunInTransaction<AppTx>
}

/** Options with their defaults. */
export type InboxSettings = ReturnType<typeof readOptions>

/** Fills in the defaults, and checks what becomes part of SQL and of the names of queues. */
export function readOptions(options: InboxOptions) {
  const { source = 'feed', schema = 'feed_inbox', migrate = true, ordered } = options
  const { priority = {} } = options
  const { database, listenUrl, stopTimeoutMs = 25_000, onError } = options
  checkOption(
    /^[a-z][a-z0-9_-]{0,39}$/.test(source),
    'source: use 1 to 40 of a-z, 0-9, - and _, a letter first.',
  )
  checkOption(
    /^[a-z][a-z0-9_]{0,39}$/.test(schema),
    'schema: use 1 to 40 of a-z, 0-9 and _, a letter first.',
  )
  checkOption(
    listenUrl === undefined || !isDatabase(database),
    'listenUrl: give it to openDatabase(url, { listenUrl }), which made this database.',
  )
  // An option of earlier versions: nobody is to believe that it still does something.
  checkOption(
    !('backend' in options) || options.backend === undefined,
    'backend: the inbox runs on PostgreSQL or embedded. Leave this option out.',
  )
  checkTime('stopTimeoutMs', stopTimeoutMs)
  for (const [type, value] of Object.entries(priority)) {
    const isFine = Number.isInteger(value) && Math.abs(value) <= 1_000
    checkOption(isFine, `priority.${type}: use a whole number from -1000 to 1000.`)
  }
  warnOfPriorities(priority)
  const isOrdered = ordered === 'subject'
  return {
    database,
    listenUrl,
    source,
    schema,
    isOrdered,
    priority,
    migrate,
    stopTimeoutMs,
    onError,
  }
}

/** Whether a target is a database that somebody else has opened, and will close. */
export function isDatabase(target: InboxSettings['database']): target is Database {
  return typeof target === 'object' && 'bossOptions' in target
}
