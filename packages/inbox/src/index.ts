export { createInbox } from './create-inbox.ts'
export type { Entries, Gaps, Inbox, QuarantinedDeliveries, Streams } from './inbox.ts'
export type { InboxOptions, TransactionOptions } from './options.ts'
export type { Drained, DrainOptions, WorkOptions } from './handle/worker.ts'
export type { HandlerLimits } from './handle/handlers.ts'
export type { DeadEntry, FailedAttempt, FailureOptions } from './handle/failure.ts'
export type { EventOf, HandledType, Handler } from './handle/handlers.ts'
export type { HandlerContext, Handlers } from './handle/handlers.ts'
export type { Change } from './entry/change.ts'
export type { EffectContext, Effects } from './handle/effects.ts'
export type { RunInTransaction } from './handle/transactions.ts'
export type { SqlExecutor } from './queue/queue.ts'
export { drizzleTransaction, kyselyTransaction } from './handle/transactions.ts'
export type { DrizzleDatabase, DrizzleSql, DrizzleTransaction } from './handle/transactions.ts'
export type { KyselyDatabase, KyselyTransaction } from './handle/transactions.ts'

export type {
  Activity,
  ActivityOptions,
  ActivityStep,
  RejectedStep,
} from './admin/find-activity.ts'
export type { Facets } from './admin/find-facets.ts'
export type { ListOperationsOptions, OperationKind, OperationPage } from './admin/operations.ts'
export type { OperationRow } from './admin/operations.ts'

export type { BoundedCount } from './entry/sql.ts'
export type { EntryFilter, EntryState, ListedState } from './entry/entry-filter.ts'
export type { EntryDetails, EntryEffect, EntryJobRow, EntryRevision } from './admin/get-entry.ts'
export type { CountOptions, EntryPage, EntryRow } from './admin/list-entries.ts'
export type { ListedJob } from './admin/listed-job.ts'
export type { EntryError } from './admin/list-errors.ts'
export type { ListEntriesOptions } from './admin/list-entries.ts'
export type { Reprocessed, ReprocessOptions, ReprocessTarget } from './admin/reprocess-entries.ts'
export type { RetryOptions, RetryTarget } from './admin/retry-entries.ts'

export { storedDeliveries } from './admin/stored-deliveries.ts'
export type { StoredDeliveries, StoredDeliveriesOptions } from './admin/stored-deliveries.ts'
export type { StoredDelivery, StoredDeliveryTarget } from './admin/stored-deliveries.ts'

export type { ListQuarantinedOptions, QuarantinedDetails } from './admin/quarantined.ts'
export type { QuarantinedPage, QuarantinedRow } from './admin/quarantined.ts'
export type { DiscardFilter, DiscardOptions, DiscardTarget } from './admin/quarantined.ts'
export type { QuarantineState } from './admin/quarantined.ts'
export type { OperatorOptions } from './admin/operations.ts'

export type { AcceptPageOptions, PageAcceptance } from './pull/accept-page.ts'
export type { StreamNote, StreamPhase, StreamProgress, StreamRow } from './pull/streams.ts'
export type { TakenStream, TakeOptions } from './pull/streams.ts'
export type { GapCounts, GapPage, GapRow, GapsAsOf, ListGapsOptions } from './admin/gaps.ts'
export type { ProbablePause, StreamGapRow } from './admin/gaps.ts'

export type { PauseOptions, PauseRow, Resumed, ResumeOptions } from './admin/pauses.ts'
export type { RejectionRow, RejectionsOptions } from './admin/rejections.ts'
export type { Pruned, PruneOptions } from './admin/prune.ts'
export type { SecretsOptions, SecretUse } from './admin/secret-uses.ts'

export type { HealthOptions, InboxHealth } from './health/health.ts'
export type { Backlog } from './health/job-counts.ts'
export type { HealthProblem, HealthProblemCode } from './health/problems.ts'

export { inboxSql } from './schema/inbox-sql.ts'
export type { ExtensionTables, InboxSqlOptions } from './schema/inbox-sql.ts'

export { combineHandlers } from './handle/combine-handlers.ts'
export { findHandler, Permanent, RetryAfter } from './handle/handlers.ts'
export { InboxError } from './errors.ts'
export type { InboxErrorCode } from './errors.ts'
