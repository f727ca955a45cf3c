import type { StartAttempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import type { HandlerTimes } from './handler-times.ts'
import { shareTransaction, type AttemptGroup } from './shared-transaction.ts'
import type { Transactions } from './transactions.ts'

export interface AttemptGroupsOptions<AppTx> {
  /** Starts an attempt, whose handler runs in the transaction that it joins, if any. */
  start: StartAttempt<AppTx>
  /** Undefined if each handler has a transaction of its own. */
  share: Transactions<AppTx>['share']
  times: HandlerTimes
  /** For how long handlers begin in one transaction. */
  sharedMs: number
  /** Whether a job waits that is claimed already. */
  isOneWaiting: () => boolean
  /** Takes the next one that waits, if it is one of those. */
  takeNext: (isWanted: (job: ClaimedEntry) => boolean) => ClaimedEntry | undefined
}

const maxRemembered = 1_000

/** Creates the function that starts an attempt alone, or several that share a transaction. */
export function createAttemptGroups<AppTx>(
  options: AttemptGroupsOptions<AppTx>,
): (job: ClaimedEntry) => AttemptGroup {
  const { start, share, times, sharedMs, isOneWaiting, takeNext } = options
  /** Jobs whose transaction was rolled back. */
  const rolledBack = new Set<string>()

  return (job) => {
    if (share && canShare(job) && isOneWaiting()) {
      const next = () => takeNext(canShare)
      return shareTransaction({ share, sharedMs, start, first: job, next, times, onRollback })
    }
    rolledBack.delete(job.id)
    const { returned, outcome } = start(job)
    return { returned, ended: outcome }
  }

  /** Others would have to run again because of a retry, which has failed before. */
  function canShare({ id, groupId, retryCount, state }: ClaimedEntry): boolean {
    const isFirst = retryCount === 0 && state === 'received' && !rolledBack.has(id)
    return isFirst && times.isShort(groupId ?? '')
  }

  function onRollback({ id }: ClaimedEntry): void {
    // Another worker may have handled the others since.
    if (rolledBack.size >= maxRemembered) rolledBack.clear()
    rolledBack.add(id)
  }
}
