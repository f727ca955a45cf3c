import type { RunInTransaction } from '../queue/queue.ts'
import { withTimeout } from '../timeout.ts'
import type { Attempt, StartAttempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import type { HandlerTimes } from './handler-times.ts'
import type { Transactions } from './transactions.ts'

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
  const { start, share, times, isOneWaiting, takeNext } = options
  /** Jobs whose transaction was rolled back. */
  const rolledBack = new Set<string>()

  return (job) => {
    if (share && canShare(job) && isOneWaiting()) {
      const next = () => takeNext(canShare)
      return shareTransaction({ share, start: startShared, first: job, next, times })
    }
    rolledBack.delete(job.id)
    const { returned, outcome } = start(job)
    return { returned, ended: outcome }
  }

  /** Others would have to run again because of a retry, which has failed before. */
  function canShare({ id, groupId, retryCount }: ClaimedEntry): boolean {
    return retryCount === 0 && !rolledBack.has(id) && times.areShort(groupId ?? '')
  }

  function startShared(job: ClaimedEntry, join: RunInTransaction<AppTx>): Attempt {
    const attempt = start(job, join)
    void remember(attempt)
    return attempt
  }

  async function remember({ job, outcome }: Attempt): Promise<void> {
    if ((await outcome) !== 'rolled_back') return
    // Another worker may have handled the others since.
    if (rolledBack.size >= maxRemembered) rolledBack.clear()
    rolledBack.add(job.id)
  }
}

interface SharedOptions<AppTx> {
  share: NonNullable<Transactions<AppTx>['share']>
  start: (job: ClaimedEntry, join: RunInTransaction<AppTx>) => Attempt
  first: ClaimedEntry
  /** The next job, if one waits whose handler may share the transaction. */
  next: () => ClaimedEntry | undefined
  times: HandlerTimes
}

const maxAttempts = 8
/** After this time no further handler begins. */
const enoughMs = 10
/** After this time the transaction is rolled back. */
const limitMs = 100

/**
 * Runs several short handlers one after the other in one transaction, so that they share its commit.
 * If anything fails, or takes too long, the transaction is rolled back, and so is each attempt: its
 * job is due again, and handlers of the suspected type run alone. So no event suffers from another.
 */
function shareTransaction<AppTx>(options: SharedOptions<AppTx>): AttemptGroup {
  const { share, start, first, next, times } = options
  const attempts: Attempt[] = []
  let haveAllReturned = false
  let isOver = false
  let onOver = () => {}
  const over = new Promise<void>((resolve) => (onOver = resolve))
  const committed = share((join) => withTimeout(runInTurn(join), limitMs, runsAgain).finally(end))
  // A closed database has not begun one.
  if (attempts.length === 0) attempts.push(start(first, () => committed))
  committed.catch(runAlone)
  return {
    returned: over.then(() => Promise.all(attempts.map(({ returned }) => returned))),
    ended: over.then(() => Promise.all(attempts.map(({ outcome }) => outcome))),
  }

  async function runInTurn(join: RunInTransaction<AppTx>): Promise<void> {
    const enoughAt = performance.now() + enoughMs
    let job: ClaimedEntry | undefined = first
    while (job) {
      await runIn(join, job)
      const isEnough = attempts.length >= maxAttempts || performance.now() > enoughAt
      job = isEnough || isOver ? undefined : next()
    }
    haveAllReturned = true
  }

  function runIn(join: RunInTransaction<AppTx>, job: ClaimedEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      const attempt = start(job, async (run) => {
        await join(run).then(resolve, (error: unknown) => {
          reject(error)
          throw error
        })
        await committed
      })
      attempts.push(attempt)
      // Before that, it ends only without a handler, or because its claim is lost.
      void attempt.outcome.then(() => reject(new Error('The attempt has ended.')))
    })
  }

  function end(): void {
    isOver = true
    onOver()
  }

  /** Only the last handler can be the reason if it has failed, or has not returned. */
  function runAlone(): void {
    end()
    const suspects = haveAllReturned ? attempts : attempts.slice(-1)
    for (const { job } of suspects) times.runAlone(job.groupId ?? '')
    if (!haveAllReturned) attempts.at(-1)?.abort(runsAgain())
  }
}

function runsAgain(): Error {
  return new DOMException('The handler runs again, in a transaction of its own.', 'AbortError')
}
