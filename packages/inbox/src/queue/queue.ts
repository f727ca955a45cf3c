import type { SqlExecutor } from './job.ts'
import type { openQueue } from './open-queue.ts'

export type { ClaimedJob, SqlExecutor } from './job.ts'
export type { Limits } from './open-queue.ts'

/** The queue of one inbox. */
export type Queue = Awaited<ReturnType<typeof openQueue>>

/**
 * Runs a function inside one transaction and commits when it resolves. `tx` is the handlers'
 * transaction. Through `sql` the inbox marks the entry as done in the same transaction. `signal`
 * aborts when the attempt should end.
 */
export type RunInTransaction<AppTx> = (
  run: (tx: AppTx, sql: SqlExecutor) => Promise<void>,
  signal?: AbortSignal,
) => Promise<void>
