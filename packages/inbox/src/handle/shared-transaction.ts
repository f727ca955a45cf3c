import { withTimeout } from '../timeout.ts'
import { withResolvers } from '../with-resolvers.ts'
import type { Attempt, StartAttempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import type { HandlerTimes } from './handler-times.ts'
import type { RunInTransaction, Transactions } from './transactions.ts'

/** The attempts of one transaction. */
export interface AttemptGroup {
  /** Resolves when none of their handlers runs any more. */
  returned: Promise<unknown>
  /** Resolves when all of them have ended. */
  ended: Promise<unknown>
}

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

const maxAttempts = 8
const maxRemembered = 1_000

/** Creates the function that starts an attempt alone, or several that share a transaction. */
export function createAttemptGroups<AppTx>(
  options: AttemptGroupsOptions<AppTx>,
): (job: ClaimedEntry) => AttemptGroup {
  const { start, share, times, sharedMs, isOneWaiting, takeNext } = options
  /** Jobs whose transaction was rolled back. */
  const rolledBack = new Set<string>()

  return (job) => {
    if (share && canShare(job) && isOneWaiting()) return shareTransaction(share, job)
    rolledBack.delete(job.id)
    const { returned, outcome } = start(job)
    return { returned, ended: outcome }
  }

  /** Others would have to run again because of a retry, which has failed before. */
  function canShare({ id, groupId, retryCount, state }: ClaimedEntry): boolean {
    const isFirst = retryCount === 0 && state === 'received' && !rolledBack.has(id)
    return isFirst && times.isShort(groupId ?? '')
  }

  /** Called for each job before it is due again. */
  function onRollback({ id }: ClaimedEntry): void {
    // Another worker may have handled the others since.
    if (rolledBack.size >= maxRemembered) rolledBack.clear()
    rolledBack.add(id)
  }

  /**
   * Runs several short handlers one after the other in one transaction, so that they share its
   * commit. If anything fails, or takes too long, the transaction is rolled back, and so is each
   * attempt: its job is due again, and then runs alone. So no event suffers from another.
   */
  function shareTransaction(open: NonNullable<typeof share>, first: ClaimedEntry): AttemptGroup {
    const limitMs = 5 * sharedMs
    const attempts: Attempt[] = []
    let handlers: 'running' | 'returned' | 'failed' = 'running'
    /** Ends when no further attempt joins. */
    const joining = withResolvers()
    const waiting = new AbortController()
    const committed = open(runInTime, { limitMs, signal: waiting.signal })
    void committed.catch(rollBack)
    const ended = joining.promise.then(() => Promise.all(attempts.map(({ outcome }) => outcome)))
    void ended.then(() => waiting.abort())
    return {
      returned: joining.promise.then(() => Promise.all(attempts.map((one) => one.returned))),
      ended,
    }

    async function runInTime(join: RunInTransaction<AppTx>): Promise<void> {
      try {
        await withTimeout(runInTurn(join), limitMs, runsAgain)
        handlers = 'returned'
      } catch (error) {
        handlers = 'failed'
        waiting.abort()
        throw error
      } finally {
        joining.resolve()
      }
    }

    async function runInTurn(join: RunInTransaction<AppTx>): Promise<void> {
      const enoughAt = performance.now() + sharedMs
      let job: ClaimedEntry | undefined = first
      while (job) {
        await runIn(join, job)
        const isEnough = attempts.length >= maxAttempts || performance.now() > enoughAt
        job = isEnough || handlers === 'failed' ? undefined : takeNext(canShare)
      }
    }

    /** Resolves once the handler has returned. Its attempt then waits for the commit. */
    function runIn(join: RunInTransaction<AppTx>, job: ClaimedEntry): Promise<void> {
      const returned = withResolvers()
      const attempt = start(job, async (run) => {
        await join(run).then(returned.resolve, (error: unknown) => {
          onRollback(job)
          returned.reject(error)
          throw error
        })
        await committed
      })
      attempts.push(attempt)
      // Before that, it ends only without a handler, or because its claim is lost.
      void attempt.outcome.then(() => returned.reject(new Error('The attempt has ended.')))
      return returned.promise
    }

    /** Only the last handler can be the reason if it has failed, or has not returned. */
    function rollBack(): void {
      // A closed database has not begun one.
      if (attempts.length === 0) attempts.push(start(first, () => committed))
      for (const { job } of attempts) onRollback(job)
      const suspects = handlers === 'returned' ? attempts : attempts.slice(-1)
      for (const { job } of suspects) times.runAlone(job.groupId ?? '')
      if (handlers !== 'returned') attempts.at(-1)?.abort(runsAgain())
      joining.resolve()
    }
  }
}

function runsAgain(): Error {
  return new DOMException('The handler runs again, in a transaction of its own.', 'AbortError')
}
