import type { DeliveryInbox, FeedEvent, Observation } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import type { HealthOptions, InboxHealth } from './health/health.ts'
import type { Activity, ActivityOptions } from './admin/find-activity.ts'
import type { Facets } from './admin/find-facets.ts'
import type { GapCounts, GapPage, GapsAsOf, ListGapsOptions, StreamGapRow } from './admin/gaps.ts'
import type { EntryDetails } from './admin/get-entry.ts'
import type { CountOptions, EntryPage, ListEntriesOptions } from './admin/list-entries.ts'
import type { EntryError } from './admin/list-errors.ts'
import type { ListOperationsOptions, OperationPage, OperatorOptions } from './admin/operations.ts'
import type { PauseOptions, PauseRow, Resumed, ResumeOptions } from './admin/pauses.ts'
import type { Pruned, PruneOptions } from './admin/prune.ts'
import type { DiscardOptions, DiscardTarget } from './admin/quarantined.ts'
import type { ListQuarantinedOptions, QuarantinedDetails } from './admin/quarantined.ts'
import type { QuarantinedPage } from './admin/quarantined.ts'
import type { RejectionRow, RejectionsOptions } from './admin/rejections.ts'
import type { Reprocessed, ReprocessOptions, ReprocessTarget } from './admin/reprocess-entries.ts'
import type { RetryOptions, RetryTarget } from './admin/retry-entries.ts'
import type { SecretsOptions, SecretUse } from './admin/secret-uses.ts'
import type { EntryFilter } from './entry/entry-filter.ts'
import type { BoundedCount } from './entry/sql.ts'
import type { extensionPoint, ExtensionPoint } from './extension.ts'
import type { Handlers } from './handle/handlers.ts'
import type { Drained, DrainOptions, WorkOptions } from './handle/worker.ts'
import type { AcceptPageOptions, PageAcceptance } from './pull/accept-page.ts'
import type { StreamNote, StreamRow, TakenStream, TakeOptions } from './pull/streams.ts'

/**
 * Stores each event once, queues it, and passes it to its handler. `accept`, `quarantine` and
 * `answered` are for the receiver, `acceptPage` and `streams` for the poller, `work` and `drain`
 * run handlers, and everything else is for people. All but `answered` and `health` reject with
 * `not_running` before `start`, with `bad_option` for an invalid option, and with `inside_tx` in a
 * handler that has used its `tx` on an embedded database.
 */
export interface Inbox<AppTx = Tx> extends Required<DeliveryInbox>, AsyncDisposable {
  /** The name of the feed, which all metrics have as `feed.source`. */
  readonly source: string
  /** The option `instance`, which its gauges have as `feed.instance`. */
  readonly instance: string | undefined
  /**
   * Opens the database, migrates, and creates what the queue needs. Safe to repeat. Errors:
   * `not_migrated`, `unfit_database`, `damaged_tables`, and those of the database package.
   */
  start(): Promise<void>
  /** Rejects new deliveries, waits up to `stopTimeoutMs` for running handlers, and closes. */
  stop(): Promise<void>
  /** Counts the deliveries that a receiver rejects. Returns immediately. Works before `start`. */
  answered(observation: Observation): void
  /** Stores a page, oldest first, with its cursor in one transaction. Errors: `lease_lost`. */
  acceptPage(events: readonly FeedEvent[], options: AcceptPageOptions): Promise<PageAcceptance>
  /**
   * Starts this process's worker, once per start. Errors: `bad_handler`, `already_working`,
   * `unknown_limit`.
   */
  work(handlers: Handlers<AppTx>, options?: WorkOptions): Promise<void>
  /**
   * Handles due entries and returns: for serverless platforms. Errors: `bad_handler`,
   * `unknown_limit`.
   */
  drain(handlers: Handlers<AppTx>, options?: DrainOptions): Promise<Drained>
  /** The stored entries: list, search, inspect, retry and reprocess them. */
  readonly entries: Entries
  /** Quarantine: list, inspect, release and discard deliveries. */
  readonly quarantined: QuarantinedDeliveries
  /** How far each stream of the pull API has been read, and which process holds its lease. */
  readonly streams: Streams
  /** Events that pull returned and push did not deliver, and streams that lost their cursor. */
  readonly gaps: Gaps
  /**
   * Stops workers from claiming events, of all or some types, until you resume them. Takes effect
   * in every process within a second, and survives restarts. Deliveries are still stored, and
   * running handlers finish. Errors: `already_paused`, `unknown_type`.
   */
  pause(options: PauseOptions): Promise<PauseRow[]>
  /** Lets workers claim paused events again. Errors: `not_paused`. */
  resume(options?: ResumeOptions): Promise<Resumed>
  /** The pauses in force: since when, by whom and why. */
  pauses(): Promise<PauseRow[]>
  /** The rejected deliveries by reason, and how to fix each; those that pause the feed first. */
  rejections(options?: RejectionsOptions): Promise<RejectionRow[]>
  /**
   * Deletes old content of ended entries, and old entries if configured. Errors:
   * `extension_missing`.
   */
  prune(options?: PruneOptions): Promise<Pruned>
  /** Which secrets have signed, and whether one of them may be removed. */
  secrets(options?: SecretsOptions): Promise<SecretUse[]>
  /** The operations by people, such as retries, latest first. */
  operations(options?: ListOperationsOptions): Promise<OperationPage>
  /** The events of the last hours by time and state. */
  activity(options?: ActivityOptions): Promise<Activity>
  /** The health of the inbox, for a health route. Never rejects; answers within five seconds. */
  health(options?: HealthOptions): Promise<InboxHealth>
  /** For extensions: see `@feed-receiver/inbox/extend`. */
  readonly [extensionPoint]: ExtensionPoint
}

/** The stored entries, as consoles and commands show them. */
export interface Entries {
  /** Lists one page of entries, newest first. */
  list(options?: ListEntriesOptions): Promise<EntryPage>
  /** One entry by the id of its event, with its raw body and its job; null if there is none. */
  get(eventId: string): Promise<EntryDetails | null>
  /** Counts the entries that match a filter. */
  count(filter?: EntryFilter, options?: CountOptions): Promise<BoundedCount>
  /** The providers, types and categories to filter entries by. */
  facets(): Promise<Facets>
  /** The errors of dead and failing entries, the most frequent first. */
  errors(): Promise<EntryError[]>
  /** Requeues dead or skipped entries, or makes failing ones due now; returns their number. */
  retry(target: RetryTarget, options?: RetryOptions): Promise<number>
  /** Requeues done and skipped entries, to be handled again. */
  reprocess(target: ReprocessTarget, options?: ReprocessOptions): Promise<Reprocessed>
}

/** Quarantine: authentic deliveries that no handler may see. */
export interface QuarantinedDeliveries {
  /** Lists one page, latest rows first. */
  list(options?: ListQuarantinedOptions): Promise<QuarantinedPage>
  /** One row with its raw body; null if there is none. */
  get(id: number): Promise<QuarantinedDetails | null>
  /**
   * Parses a delivery with the current parser and stores its event, with a job. The entry keeps the
   * time of the first arrival. Errors: `still_unreadable`, `id_conflict`, `already_resolved`,
   * `not_quarantined`.
   */
  release(id: number, options?: OperatorOptions): Promise<'stored' | 'duplicate'>
  /**
   * Marks one row, or all open ones that match a filter, as discarded, and returns their number. The
   * bytes stay. Errors: `already_resolved`, `not_quarantined`.
   */
  discard(target: DiscardTarget, options?: DiscardOptions): Promise<number>
}

/** How far each stream of the pull API has been read, and which process holds its lease. */
export interface Streams {
  list(): Promise<StreamRow[]>
  /** Takes or renews the lease of a stream; null while another process holds it. */
  take(stream: string, options: TakeOptions): Promise<TakenStream | null>
  /** Stores why a stream waits, for its next lease holder; false if the lease is lost. */
  note(stream: string, holder: string, note: StreamNote): Promise<boolean>
  /** Releases a lease. */
  release(stream: string, holder: string): Promise<void>
}

/** Events that push or pull has missed. */
export interface Gaps {
  /** Lists one page of events that push missed, latest first. */
  list(options?: ListGapsOptions): Promise<GapPage>
  count(options?: GapsAsOf): Promise<GapCounts>
  /** The periods in which a stream may have missed events: the latest 100, latest first. */
  streams(): Promise<StreamGapRow[]>
}
