import { codeOf } from '../errors.ts'
import type { FailedTrial } from '../accept/try-store.ts'
import type { FailureLog, Step, StepFailures } from '../failure-log.ts'
import { withoutLink, type ExplainedFault } from '../sql-states.ts'
import type { RejectionRow } from '../admin/rejections.ts'

/** What is known about steps that failed. */
export interface KnownFailures {
  /** Explains an error of the database. */
  explain: (error: unknown) => ExplainedFault
  /** What failed in this process. */
  failures?: FailureLog
  /** The rejections of the last hour, over all processes. */
  rejections?: readonly RejectionRow[]
  /** The step that failed in a trial, with its error. */
  trial?: FailedTrial | undefined
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

/** Whether the disk has just been full for a delivery, so that a trial would tell nothing new. */
export function hasFullDisk(failures: FailureLog): boolean {
  return isDiskFull(ownFailures(failures))
}

/** Whether real deliveries fail so often that storing an event should be tried. */
export function mustTryStore({
  failures,
  rejections = [],
}: Omit<KnownFailures, 'explain'>): boolean {
  const own = ownFailures(failures)
  const counted = countFailedStores(rejections)
  return Math.max(counted?.count ?? 0, ...own.map(({ count }) => count)) >= lastingCount
}

/**
 * Judges the outcome of storing deliveries: of this process, of a trial, and the rejections that all
 * processes have counted. It is `lasting` if most or all fail. Undefined if nothing failed.
 */
export function failingStores({ explain, failures, rejections = [], trial }: KnownFailures) {
  const own = ownFailures(failures)
  // A single one tells, because a disk does not empty itself.
  if (isDiskFull(own)) return { isDiskFull: true }
  const counted = countFailedStores(rejections)
  const failing = trial ?? own.find((one) => one.count >= lastingCount && ageOf(one) < freshMs)
  if (failing) {
    const known = own.find((one) => one.step === failing.step)
    const ofAll = counted ? `: ${timesOf(counted.count)} in the last hour` : ''
    const failed = known
      ? `: ${timesOf(known.count)} since ${known.since.toISOString()}, without a success`
      : ofAll
    const what =
      failing.step === 'quarantine'
        ? 'Deliveries that are no valid event cannot be quarantined, so they'
        : 'Events cannot be stored, so deliveries'
    return { lasting: { what, failed, ...explain(failing.error) } }
  }
  const [latest] = own
  const lastAt = Math.max(latest?.lastAt.getTime() ?? 0, counted?.lastAt.getTime() ?? 0)
  if (Date.now() - lastAt >= recentMs) return undefined
  // The counts include those of this process, whose error says more.
  const isOwn = latest && lastAt - latest.lastAt.getTime() < freshMs
  const count = Math.max(counted?.count ?? 0, ...own.map((one) => one.count))
  return {
    single: {
      what: isOwn && latest.step === 'accept' ? 'An event' : 'A delivery',
      times: timesOf(count),
      lastAt: new Date(lastAt).toISOString(),
      ...(isOwn
        ? explain(latest.error)
        : { reason: counted?.reason ?? '', fix: counted?.fix ?? '' }),
    },
  }
}

/** A step that failed several times and has not succeeded since; undefined if that is long ago. */
export function failingStep({ failures, explain }: KnownFailures, step: Step) {
  const failing = failures?.of(step)
  const [forMs, freshFor] = step === 'claim' ? [claimMs, claimMs] : [0, retryMs]
  if (!failing || failing.count < lastingCount || ageOf(failing) > freshFor) return undefined
  const { count, since, lastAt, error } = failing
  if (lastAt.getTime() - since.getTime() < forMs) return undefined
  return { times: timesOf(count), since: since.toISOString(), ...explain(error) }
}

/** The failed stores of this process, latest first. */
function ownFailures(failures: FailureLog | undefined): StepFailures[] {
  return [failures?.of('accept'), failures?.of('quarantine')]
    .filter((failing) => failing !== undefined)
    .filter((failing) => ageOf(failing) < retryMs)
    .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime())
}

function isDiskFull(own: readonly StepFailures[]): boolean {
  return own.some((one) => codeOf(one.error) === diskFull && ageOf(one) < freshMs)
}

/** The failed stores of the last hour, over all processes. */
function countFailedStores(rejections: readonly RejectionRow[]) {
  const rows = rejections.filter(
    ({ reason }) => reason === 'store_failed' || reason === 'store_timeout',
  )
  const [latest] = rows.toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
  if (!latest) return undefined
  const { cause, fix, lastAt } = latest
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  return { count, ...explainCounted(cause ?? '', fix), lastAt: new Date(lastAt) }
}

function explainCounted(cause: string, fix: string): ExplainedFault {
  const said = withoutLink(cause)
  // An error of the kit says what to do.
  if (said !== cause) return { reason: said, fix: '' }
  return { reason: cause && `Cause: ${cause.replace(/\.$/, '')}.`, fix }
}

function ageOf({ lastAt }: StepFailures): number {
  return Date.now() - lastAt.getTime()
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
