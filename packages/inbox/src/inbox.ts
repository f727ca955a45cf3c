import type { DeliveryInbox, FeedEvent } from '@feed-receiver/core'
import type { Database, DatabaseTarget, Tx } from '@feed-receiver/database'
import type { AcceptPageOptions, PageAcceptance } from './pull/accept-page.ts'
import type { RunInTransaction } from './queue/app-transaction.ts'
import type { InboxHealth } from './operate/check-health.ts'
import type { Drained, DrainOptions } from './handle/drain-entries.ts'
import type { Entries } from './operate/entries.ts'
import type { Activity, ActivityOptions } from './operate/find-activity.ts'
import type { Gaps } from './operate/gaps.ts'
import type { Handlers } from './handle/handlers.ts'
import type { ListOperationsOptions, OperationPage } from './operate/list-operations.ts'
import type { PruneOptions } from './operate/prune-bytes.ts'
import type { QuarantinedDeliveries } from './operate/quarantined.ts'
import type { SecretsOptions, SecretUse } from './operate/secret-uses.ts'
import type { Streams } from './pull/streams.ts'

export interface InboxOptions {
  /**
   * A PostgreSQL URL, the app's `pg.Pool`, `{ folder }` for an embedded database, or an open
   * `Database`, which the inbox then does not close.
   * @default { folder: '.feed-receiver/database' }
   */
  database?: DatabaseTarget | Database | undefined
  /**
   * Names the feed, never the route: push and pull of one feed share it, and dedupe each other.
   * @default 'feed'
   */
  source?: string
  /**
   * The schema of the tables; the queue has one of its own beside it.
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
   * @default process.emitWarning
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

export interface WorkOptions {
  /**
   * How many handlers may run at once in this process.
   * @default 4
   */
  concurrency?: number
}

export interface Inbox<AppTx = Tx> extends DeliveryInbox, AsyncDisposable {
  /** Opens the database, migrates it and creates the queues. Safe to call again, and at once. */
  start(): Promise<void>
  /**
   * Starts handling what is stored, in this process; once for each start. Errors: `bad_handler`,
   * `already_working`.
   */
  work(handlers: Handlers<AppTx>, options?: WorkOptions): Promise<void>
  /** Handles what is due and returns, for where nothing runs for long. Errors: `bad_handler`. */
  drain(handlers: Handlers<AppTx>, options?: DrainOptions): Promise<Drained>
  /**
   * Stores a page of the pull API, oldest first, and the cursor behind it, both or neither. What is
   * known already is not stored again; where its content has changed, its handler is told. Errors:
   * `lease_lost`.
   */
  acceptPage(events: readonly FeedEvent[], options: AcceptPageOptions): Promise<PageAcceptance>
  /** Refuses new deliveries, lets running handlers finish for some time, and closes. */
  stop(): Promise<void>
  /** What is stored: to list, search, look into and retry. */
  readonly entries: Entries
  /** What is in quarantine: to list, look into, release and discard. */
  readonly quarantined: QuarantinedDeliveries
  /** How far the streams of the pull API have been read, and who reads them. */
  readonly streams: Streams
  /** What one way has brought and the other has not. */
  readonly gaps: Gaps
  /** Empties the bytes of entries that ended long ago, and gives their number. */
  prune(options?: PruneOptions): Promise<number>
  /** Which secrets have signed, and whether one of them may be removed (R204). */
  secrets(options?: SecretsOptions): Promise<SecretUse[]>
  /** What people have done to it, such as retries, the latest first. */
  operations(options?: ListOperationsOptions): Promise<OperationPage>
  /** What came in the last hours, and what became of it. */
  activity(options?: ActivityOptions): Promise<Activity>
  /** How it is, for a health route; never rejects, and answers within five seconds. */
  health(): Promise<InboxHealth>
}
