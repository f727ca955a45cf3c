export { createInbox } from './create-inbox.ts'
export type { Entries, Inbox, QuarantinedDeliveries } from './inbox.ts'
export type { InboxOptions, TransactionOptions } from './inbox-options.ts'
export type { WorkOptions } from './handle/handling.ts'
export type { Handler, HandlerContext, Handlers } from './handle/handlers.ts'
export type { Change } from './entry/change.ts'
export type { EffectContext, Effects } from './handle/effects.ts'
export type { Drained, DrainOptions } from './handle/drain-entries.ts'
export type { RunInTransaction, SqlExecutor } from './queue/queue.ts'
export { drizzleTransaction, kyselyTransaction } from './handle/orm-transactions.ts'
export type {
  DrizzleDatabase,
  DrizzleSql,
  DrizzleTransaction,
  KyselyDatabase,
  KyselyTransaction,
} from './handle/orm-transactions.ts'

export type { Activity, ActivityOptions, ActivityStep } from './operate/find-activity.ts'
export type { Facets } from './operate/find-facets.ts'
export type {
  ListOperationsOptions,
  OperationKind,
  OperationPage,
  OperationRow,
} from './operate/operations.ts'

export type { BoundedCount } from './entry/count.ts'
export { entryStates } from './entry/entry-filter.ts'
export type { EntryFilter, EntryState } from './entry/entry-filter.ts'
export type { EntryJobRow } from './queue/find-job.ts'
export type { EntryDetails } from './operate/get-entry.ts'
export type {
  CountOptions,
  EntryPage,
  EntryRow,
  ListEntriesOptions,
} from './operate/list-entries.ts'
export type { EntryRevision } from './pull/revisions.ts'
export type { RetryOptions, RetryTarget } from './operate/retry-entries.ts'

export { quarantineReasons, quarantineStates } from './operate/list-quarantined.ts'
export type {
  ListQuarantinedOptions,
  QuarantinedDetails,
  QuarantinedPage,
  QuarantinedRow,
  QuarantineState,
} from './operate/list-quarantined.ts'
export type { SettleOptions } from './operate/settle-quarantined.ts'

export type { AcceptPageOptions, PageAcceptance } from './pull/accept-page.ts'
export type { StreamProgress } from './pull/save-stream.ts'
export type {
  StreamNote,
  StreamPhase,
  StreamRow,
  Streams,
  TakenStream,
  TakeOptions,
} from './pull/streams.ts'
export type {
  GapCounts,
  GapPage,
  GapRow,
  Gaps,
  GapsAsOf,
  ListGapsOptions,
  ProbablePause,
  StreamGapRow,
} from './operate/gaps.ts'

export type { PruneOptions } from './operate/prune-bytes.ts'
export type { SecretsOptions, SecretUse } from './operate/secret-uses.ts'

export type { Backlog, InboxHealth } from './operate/check-health.ts'
export type { HealthProblem, HealthProblemCode } from './operate/health-problems.ts'

export { inboxSql } from './inbox-sql.ts'
export type { InboxSqlOptions } from './inbox-sql.ts'

export { Permanent, RetryAfter } from './handle/handlers.ts'
export { InboxError } from './errors.ts'
export type { InboxErrorCode } from './errors.ts'
