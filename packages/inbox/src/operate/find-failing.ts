import { codeOf } from '../errors.ts'
import type { StreamRow } from '../pull/streams.ts'
import type { Place } from '../queue/queue.ts'
import { explainFault, type ExplainedFault } from '../sql-states.ts'
import type { Failing, WatchedWork } from '../watch-work.ts'
import { problemIf, type HealthProblem } from './health-problems.ts'
import type { RefusalRow } from './refusals.ts'
import { tryStore } from './try-store.ts'

/** An inbox that remembers what failed in this process. */
export interface WatchedPlace extends Place {
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
/** The poller retries within some minutes. */
const pageMs = 3_600_000
/** Claims repeat twice a second, so that three of them fail in any restart of the database. */
const claimMs = 60_000

/**
 * Finds what cannot be done for events. Judges the outcome of real work: that of this process, and
 * the rejections that all processes have counted. If these look bad, or with `isTried`, it also
 * tries to store an event.
 */
export async function findFailing(
  place: WatchedPlace,
  refusals: readonly RefusalRow[],
  isTried: boolean,
): Promise<HealthProblem[]> {
  return [
    ...(await findFailingStores(place, refusals, isTried)),
    ...findFailingPages(place),
    ...findFailingClaims(place),
  ]
}

async function findFailingStores(
  place: WatchedPlace,
  refusals: readonly RefusalRow[],
  isTried: boolean,
): Promise<HealthProblem[]> {
  const own = place.work.worst('accept', 'quarantine')
  // A single one tells, because a disk does not empty itself.
  if (own && codeOf(own.error) === diskFull && ageOf(own) < freshMs) {
    return problemIf(true, 'disk_full')
  }
  const counted = countFailedStores(refusals)
  const count = Math.max(own?.count ?? 0, counted?.count ?? 0)
  const fault = isTried || count >= lastingCount ? await tryStore(place) : undefined
  const isFresh = own !== undefined && own.count >= lastingCount && ageOf(own) < freshMs
  const lastAt = own?.lastAt ?? counted?.lastAt
  if (fault !== undefined || isFresh) {
    const since = own ? ` since ${own.since.toISOString()}` : ''
    const failed = count === 0 ? '' : `: ${timesOf(count)}${since}, without a success`
    return problemIf(true, 'store_failing', { failed, ...explainFault(fault ?? own?.error, place) })
  }
  const isRecent = lastAt !== undefined && Date.now() - lastAt.getTime() < recentMs
  const explained = own
    ? explainFault(own.error, place)
    : { reason: counted?.cause, mend: counted?.mend }
  const times = timesOf(count)
  return problemIf(isRecent, 'store_failed', { times, lastAt: lastAt?.toISOString(), ...explained })
}

/** The failed stores of the last hour, over all processes. */
function countFailedStores(refusals: readonly RefusalRow[]) {
  const rows = refusals.filter(
    ({ reason }) => reason === 'store_failed' || reason === 'store_timeout',
  )
  const [latest] = rows.toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
  if (!latest) return undefined
  const { cause, mend, lastAt } = latest
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  return { count, cause: cause ?? '', mend, lastAt: new Date(lastAt) }
}

function findFailingPages(place: WatchedPlace): HealthProblem[] {
  const pages = place.work.worst('accept_page')
  if (!pages || pages.count < lastingCount || ageOf(pages) > pageMs) return []
  return problemIf(true, 'page_failing', describe(pages, place))
}

function findFailingClaims(place: WatchedPlace): HealthProblem[] {
  const claims = place.work.worst('claim')
  if (!claims || claims.count < lastingCount) return []
  const lasted = claims.lastAt.getTime() - claims.since.getTime()
  return problemIf(
    lasted >= claimMs && ageOf(claims) < claimMs,
    'claim_failing',
    describe(claims, place),
  )
}

const suspensions: Readonly<Record<string, string>> = {
  unauthorized: 'Replace the API key, and restart the poller.',
  forbidden: 'Restore Pro for the account of the API key. The poller tries again each hour.',
  invalid_request: 'Correct the filter of the poller, and restart it.',
  not_found: 'Check the base URL of the client. The poller tries again each hour.',
}
const otherSuspension = 'Check the warnings of the poller, and restart it.'

/** Finds the streams whose poller waits for a person. */
export function findSuspended(streams: readonly StreamRow[]): HealthProblem[] {
  return streams
    .filter(({ phase }) => phase === 'suspended')
    .flatMap(({ stream, code, polledAt }) =>
      problemIf(true, 'pull_suspended', {
        stream,
        code,
        since: polledAt ?? 'the start',
        mend: suspensions[code ?? ''] ?? otherSuspension,
      }),
    )
}

function describe(failing: Failing, place: Place): ExplainedFault & Record<string, string> {
  const { count, since, error } = failing
  return { times: timesOf(count), since: since.toISOString(), ...explainFault(error, place) }
}

function ageOf({ lastAt }: Failing): number {
  return Date.now() - lastAt.getTime()
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
