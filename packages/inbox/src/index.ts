export { createInbox } from './create-inbox.ts'
export type { Inbox, InboxOptions, TransactionOptions, WorkOptions } from './create-inbox.ts'
export type { Handler, HandlerContext, Handlers } from './handlers.ts'
export type { Change } from './judge-change.ts'
export type { EffectContext, Effects } from './effects.ts'
export type { Drained, DrainOptions } from './drain-entries.ts'
export type { RunInTransaction, SqlExecutor } from './app-transaction.ts'
export { drizzleTransaction, kyselyTransaction } from './orm-transactions.ts'
export type {
  DrizzleDatabase,
  DrizzleSql,
  DrizzleTransaction,
  KyselyDatabase,
  KyselyTransaction,
} from './orm-transactions.ts'
export type { DistributedBackend } from './queue.ts'

export type { Activity, ActivityOptions, ActivityStep } from './find-activity.ts'
export type { Facets } from './find-facets.ts'
export type {
  ListOperationsOptions,
  OperationKind,
  OperationPage,
  OperationRow,
} from './list-operations.ts'

export type { CountOptions, Entries } from './entries.ts'
export type { BoundedCount } from './count-entries.ts'
export { entryStates } from './entry-filter.ts'
export type { EntryFilter, EntryState } from './entry-filter.ts'
export type { EntryJobRow } from './find-job.ts'
export type { EntryDetails } from './get-entry.ts'
export type { EntryPage, EntryRow, ListEntriesOptions } from './list-entries.ts'
export type { EntryRevision } from './revisions.ts'
export type { RetryOptions, RetryTarget } from './retry-entries.ts'

export { quarantineReasons, quarantineStates } from './list-quarantined.ts'
export type { QuarantinedDetails } from './get-quarantined.ts'
export type {
  ListQuarantinedOptions,
  QuarantinedPage,
  QuarantinedRow,
  QuarantineState,
} from './list-quarantined.ts'
export type { QuarantinedDeliveries, SettleOptions } from './quarantined.ts'

export type { AcceptPageOptions, PageAcceptance } from './accept-page.ts'
export type { StreamProgress } from './save-stream.ts'
export type { StreamNote, Streams } from './streams.ts'
export type { StreamPhase, StreamRow } from './stream-row.ts'
export type { TakenStream, TakeOptions } from './take-stream.ts'
export type {
  GapCounts,
  GapPage,
  GapRow,
  Gaps,
  GapsAsOf,
  ListGapsOptions,
  ProbablePause,
  StreamGapRow,
} from './gaps.ts'

export type { PruneOptions } from './prune-bytes.ts'
export type { SecretsOptions, SecretUse } from './secret-uses.ts'

export type { Backlog, InboxHealth } from './check-health.ts'

export { inboxSql } from './inbox-sql.ts'
export type { InboxSqlOptions } from './inbox-sql.ts'

export { Permanent, RetryAfter } from './handler-errors.ts'
export { InboxError } from './errors.ts'
export type { InboxErrorCode } from './errors.ts'
