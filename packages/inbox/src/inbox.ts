import type { DeliveryInbox, FeedEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import type { BoundedCount } from './entry/count.ts'
import type { EntryFilter } from './entry/entry-filter.ts'
import type { Drained, DrainOptions } from './handle/drain-entries.ts'
import type { Handlers } from './handle/handlers.ts'
import type { WorkOptions } from './handle/handling.ts'
import type { InboxHealth } from './operate/check-health.ts'
import type { Activity, ActivityOptions } from './operate/find-activity.ts'
import type { Facets } from './operate/find-facets.ts'
import type { Gaps } from './operate/gaps.ts'
import type { EntryDetails } from './operate/get-entry.ts'
import type { CountOptions, EntryPage, ListEntriesOptions } from './operate/list-entries.ts'
import type {
  ListQuarantinedOptions,
  QuarantinedDetails,
  QuarantinedPage,
} from './operate/list-quarantined.ts'
import type { ListOperationsOptions, OperationPage } from './operate/operations.ts'
import type { PruneOptions } from './operate/prune-bytes.ts'
import type { RetryOptions, RetryTarget } from './operate/retry-entries.ts'
import type { SecretsOptions, SecretUse } from './operate/secret-uses.ts'
import type { SettleOptions } from './operate/settle-quarantined.ts'
import type { AcceptPageOptions, PageAcceptance } from './pull/accept-page.ts'
import type { Streams } from './pull/streams.ts'

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

/** What the inbox holds, as consoles and commands show it. */
export interface Entries {
  /** One page of entries, newest first. */
  list(options?: ListEntriesOptions): Promise<EntryPage>
  /** One entry by the id of its event, with its bytes and its job; null where there is none. */
  get(eventId: string): Promise<EntryDetails | null>
  /** How many entries a filter finds. */
  count(filter?: EntryFilter, options?: CountOptions): Promise<BoundedCount>
  /** The providers, types and categories by which entries can be filtered. */
  facets(): Promise<Facets>
  /** Puts dead or skipped entries back to received, with a new job, and gives their number. */
  retry(target: RetryTarget, options?: RetryOptions): Promise<number>
}

/** What is in quarantine: authentic deliveries that no handler may see. */
export interface QuarantinedDeliveries {
  /** One page, the latest rows first. */
  list(options?: ListQuarantinedOptions): Promise<QuarantinedPage>
  /** One row with its bytes; null where there is none. */
  get(id: number): Promise<QuarantinedDetails | null>
  /**
   * Reads a delivery with today's parser and stores its event, with a job, as if it came now.
   * Errors: `still_unreadable`, `id_conflict`, `already_settled`, `not_quarantined`.
   */
  release(id: number, options?: SettleOptions): Promise<'stored' | 'duplicate'>
  /** Marks a row as dealt with. Errors: `already_settled`, `not_quarantined`. */
  discard(id: number, options?: SettleOptions): Promise<void>
}
