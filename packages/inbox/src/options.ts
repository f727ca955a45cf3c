import type { Database, DatabaseTarget } from '@feed-receiver/database'
import { checkOption, checkTime } from './errors.ts'
import type { RunInTransaction } from './handle/transactions.ts'
import { warnOfPriorities } from './handle/warnings.ts'
import { sourceOfQueue } from './queue-names.ts'

export interface InboxOptions {
  /**
   * A PostgreSQL URL, the app's `pg.Pool`, `{ folder }` for an embedded database, or an open
   * `Database`, which the inbox does not close.
   * @default { folder: '.feed-receiver/database' }
   */
  database?: DatabaseTarget | Database | undefined
  /**
   * A direct PostgreSQL URL, if `database` goes through PgBouncer in transaction mode. Workers
   * listen on it for new events; without it they poll twice a second.
   * @default the same as `database`
   */
  listenUrl?: string | undefined
  /**
   * The name of the feed, not of the route. Push and pull of one feed share it, so that they dedupe
   * each other's events.
   * @default 'feed'
   */
  source?: string
  /**
   * Tells the gauges of several inboxes of one source in one process apart, such as shards: their
   * attribute `feed.instance`.
   * @default no such attribute
   */
  instance?: string | undefined
  /**
   * The schema of the tables, including those of the queue.
   * @default 'feed_inbox'
   */
  schema?: string
  /**
   * With `'subject'`, workers handle events about one subject of one provider one after the other,
   * in the order of acceptance. If one fails, those behind it wait until it is done or dead. Use
   * the same value in every process of one inbox.
   * @default unordered, several concurrently
   */
  ordered?: 'subject' | undefined
  /**
   * The priority of event types, as whole numbers: workers claim higher ones first, and other types
   * have 0. The priority is stored with each job, so set it in the processes that store events.
   * @default {}
   */
  priority?: Readonly<Record<string, number>>
  /**
   * Whether `start` installs and migrates the tables. If false, `start` changes no tables, needs a
   * role that may only read and write rows, and fails with `not_migrated` if something is missing.
   * @default true
   */
  migrate?: boolean
  /**
   * How long `stop` waits for running handlers, in milliseconds. Their signals abort after four
   * fifths of it.
   * @default 25_000
   */
  stopTimeoutMs?: number
  /**
   * Called with background errors, such as a lost connection that is being re-established. If it
   * throws, the error becomes a process warning.
   * @default process.emitWarning, the same text at most once a minute
   */
  onError?: (error: unknown) => unknown
}

export interface TransactionOptions<AppTx> {
  /**
   * Opens the app's own transaction, for example of Drizzle or Kysely, on the database of the
   * inbox. Handlers get it as `tx`, and it marks their entry as done. Its `executeSql` resolves to
   * `{ rows }` with one object for each row that a statement returns, also for an UPDATE.
   */
  transaction: RunInTransaction<AppTx>
}

type WithDefault = 'source' | 'schema' | 'priority' | 'migrate' | 'stopTimeoutMs'

/** Options with their defaults. */
export interface InboxSettings
  extends
    Required<Pick<InboxOptions, WithDefault>>,
    Pick<InboxOptions, 'database' | 'listenUrl' | 'instance'> {
  isOrdered: boolean
  onError: InboxOptions['onError']
}

/** Fills in the defaults, and validates the names that become part of SQL and of queue names. */
export function readOptions(options: InboxOptions): InboxSettings {
  const { database, listenUrl, source = 'feed', instance, schema = defaultSchema } = options
  const { ordered, priority = {}, migrate = true, stopTimeoutMs = 25_000, onError } = options
  checkOption(
    /^[a-z][a-z0-9_-]{0,39}$/.test(source),
    'source: use 1 to 40 of a-z, 0-9, - and _, starting with a letter.',
  )
  checkOption(
    sourceOfQueue(source) === source,
    'source: use a name that does not end with _ordered or _dead, because queues of another source could have it.',
  )
  checkOption(
    instance === undefined || /^[\w.-]{1,40}$/.test(instance),
    'instance: use 1 to 40 letters, digits, and _.-',
  )
  checkOption(
    /^[a-z][a-z0-9_]{0,39}$/.test(schema),
    'schema: use 1 to 40 of a-z, 0-9 and _, starting with a letter.',
  )
  checkOption(
    listenUrl === undefined || !isDatabase(database),
    'listenUrl: pass it to openDatabase(url, { listenUrl }), which opened this database.',
  )
  checkTime('stopTimeoutMs', stopTimeoutMs)
  for (const [type, value] of Object.entries(priority)) {
    const isFine = Number.isInteger(value) && Math.abs(value) <= 1_000
    checkOption(isFine, `priority.${type}: use a whole number from -1000 to 1000.`)
  }
  warnOfPriorities(priority)
  const names = { source, instance, schema }
  const isOrdered = ordered === 'subject'
  return { ...names, database, listenUrl, isOrdered, priority, migrate, stopTimeoutMs, onError }
}

export const defaultSchema = 'feed_inbox'

/** Whether a target is an open database, which its owner closes. */
export function isDatabase(target: InboxOptions['database']): target is Database {
  return typeof target === 'object' && target !== null && 'bossOptions' in target
}
