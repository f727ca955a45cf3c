import { codeOf } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { explainFault, type ExplainedFault } from '../sql-states.ts'
import type { Failing, WatchedWork } from '../watch-work.ts'
import { problemIf, type HealthProblem } from './health-problems.ts'
import type { RefusalRow } from './refusals.ts'
import { tryStore } from './try-store.ts'

/** An inbox that remembers what failed in this process. */
export interface WatchedContext extends InboxContext {
  work: WatchedWork
}

const diskFull = '53100'
/** One failure may be chance. */
const lastingCount = 3
/** How long a single failure is reported. */
const recentMs = 600_000
/**
 * If a load balancer acts on the health, no delivery arrives meanwhile. After this time only a trial
 * that fails counts, so that the next delivery may come.
 */
const freshMs = 60_000
/** The poller retries within some minutes, and a failed entry within an hour. */
const retryMs = 3_600_000
/** Claims repeat twice a second, so that three of them fail in any restart of the database. */
const claimMs = 60_000

/**
 * Finds what cannot be done for events. Judges the outcome of real work: that of this process, and
 * the rejections that all processes have counted. If these look bad, or with `isTried`, it also
 * tries to store an event.
 */
export async function findFailing(
  context: WatchedContext,
  refusals: readonly RefusalRow[],
  isTried: boolean,
): Promise<HealthProblem[]> {
  return [
    ...(await findFailingStores(context, refusals, isTried)),
    ...findFailingPages(context),
    ...findFailingClaims(context),
    ...findFailingEnds(context),
  ]
}

async function findFailingStores(
  context: WatchedContext,
  refusals: readonly RefusalRow[],
  isTried: boolean,
): Promise<HealthProblem[]> {
  const own = [context.work.failing('accept'), context.work.failing('quarantine')]
    .filter((failing) => failing !== undefined)
    .filter((failing) => ageOf(failing) < retryMs)
    .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
  // A single one tells, because a disk does not empty itself.
  if (own.some((one) => codeOf(one.error) === diskFull && ageOf(one) < freshMs)) {
    return problemIf(true, 'disk_full')
  }
  const counted = countFailedStores(refusals)
  const count = Math.max(counted?.count ?? 0, ...own.map((one) => one.count))
  const fault = isTried || count >= lastingCount ? await tryStore(context) : undefined
  const failing = fault ?? own.find((one) => one.count >= lastingCount && ageOf(one) < freshMs)
  if (failing) {
    const known = own.find(({ work }) => work === failing.work)
    const ofAll = counted ? `: ${timesOf(counted.count)} in the last hour` : ''
    const failed = known
      ? `: ${timesOf(known.count)} since ${known.since.toISOString()}, without a success`
      : ofAll
    const what =
      failing.work === 'quarantine'
        ? 'Deliveries that are no valid event cannot be quarantined, so they'
        : 'Events cannot be stored, so deliveries'
    const values = { what, failed, ...explainFault(failing.error, context) }
    return problemIf(true, 'store_failing', values)
  }
  const [latest] = own
  const lastAt = Math.max(latest?.lastAt.getTime() ?? 0, counted?.lastAt.getTime() ?? 0)
  // The counts include those of this process, whose error says more.
  const isOwn = latest && lastAt - latest.lastAt.getTime() < freshMs
  const explained = isOwn
    ? explainFault(latest.error, context)
    : { reason: counted?.cause, fix: counted?.fix }
  return problemIf(Date.now() - lastAt < recentMs, 'store_failed', {
    what: isOwn && latest.work === 'accept' ? 'An event' : 'A delivery',
    times: timesOf(count),
    lastAt: new Date(lastAt).toISOString(),
    ...explained,
  })
}

/** The failed stores of the last hour, over all processes. */
function countFailedStores(refusals: readonly RefusalRow[]) {
  const rows = refusals.filter(
    ({ reason }) => reason === 'store_failed' || reason === 'store_timeout',
  )
  const [latest] = rows.toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
  if (!latest) return undefined
  const { cause, fix, lastAt } = latest
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  return { count, cause: cause ?? '', fix, lastAt: new Date(lastAt) }
}

function findFailingPages(context: WatchedContext): HealthProblem[] {
  const pages = context.work.failing('accept_page')
  if (!pages || pages.count < lastingCount || ageOf(pages) > retryMs) return []
  return problemIf(true, 'page_failing', describe(pages, context))
}

function findFailingClaims(context: WatchedContext): HealthProblem[] {
  const claims = context.work.failing('claim')
  if (!claims || claims.count < lastingCount) return []
  const lasted = claims.lastAt.getTime() - claims.since.getTime()
  return problemIf(
    lasted >= claimMs && ageOf(claims) < claimMs,
    'claim_failing',
    describe(claims, context),
  )
}

function findFailingEnds(context: WatchedContext): HealthProblem[] {
  const ends = context.work.failing('finish')
  if (!ends || ends.count < lastingCount || ageOf(ends) > retryMs) return []
  return problemIf(true, 'finish_failing', describe(ends, context))
}

function describe(
  failing: Failing,
  context: InboxContext,
): ExplainedFault & Record<string, string> {
  const { count, since, error } = failing
  return { times: timesOf(count), since: since.toISOString(), ...explainFault(error, context) }
}

function ageOf({ lastAt }: Failing): number {
  return Date.now() - lastAt.getTime()
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
