import type { CheckResult } from './check-result.ts'
import type { Check, CheckGroup } from './check.ts'
import { checks } from './checks.ts'
import { isListening } from './is-listening.ts'
import { scoreOf, type Score } from './score.ts'
import { createTarget, type Target } from './target.ts'
import { notRun, type Verdict } from './verdict.ts'

export interface RunChecksOptions {
  /** The address of the receiver. */
  url: string | URL
  /** The signing secret of the receiver, whole. */
  secret: string
  /** Another one that the receiver accepts as well; enables `rotation`. */
  secondSecret?: string | undefined
  /** Restarts the receiver, and resolves once that is under way or done; enables `restart`. */
  restart?: (() => Promise<void>) | undefined
  /** How often an event is stored, by its id; enables the checks of what is stored. */
  storedCount?: ((eventId: string) => Promise<number>) | undefined
  /**
   * How long the run may take; the checks that have not begun by then count as failed.
   * @default 180_000
   */
  deadlineMs?: number | undefined
  /** Breaks the run off. */
  signal?: AbortSignal | undefined
  /** Told of each result as it comes, which is not the order of the report. */
  onResult?: ((result: CheckResult) => void) | undefined
}

/** What a run has found; its JSON form is the report itself. Holds no secret and no signature. */
export interface CheckReport {
  /** Without credentials and query, which may be secret. */
  url: string
  startedAt: string
  durationMs: number
  /** Whether nothing has failed; warnings are no failures. */
  hasPassed: boolean
  score: Score
  results: CheckResult[]
}

/**
 * Runs every check against a receiver, whatever it is written in, in a few seconds where it is well.
 * The receiver gets about 200 deliveries whose ids begin with `check_`.
 *
 * @throws TypeError for what is no http or https URL, and the reason of `signal`.
 */
export async function runChecks({
  url: given,
  secret,
  secondSecret,
  restart,
  storedCount,
  deadlineMs = 180_000,
  signal = new AbortController().signal,
  onResult = () => {},
}: RunChecksOptions): Promise<CheckReport> {
  const url = new URL(given)
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError('Deliveries go over http or https. Give the whole URL of the receiver.')
  }
  const startedAt = Date.now()
  const target = createTarget({ url, secret, secondSecret, restart, storedCount, signal })
  const found = new Map<string, CheckResult>()
  let blockedBy: string | undefined

  const groups = (pace: CheckGroup['pace']) => checks.filter((group) => group.pace === pace)
  for (const each of placesIn(groups('gate'))) {
    const { outcome } = await take(each)
    if (outcome === 'failed') blockedBy ??= each.check.name
  }
  await together(placesIn(groups('together')), take)
  for (const each of placesIn(groups('in_turn'))) await take(each)
  signal.throwIfAborted()

  const results = placesIn(checks).flatMap(({ check }) => found.get(check.name) ?? [])
  const score = scoreOf(results)
  return {
    url: url.origin + url.pathname,
    startedAt: new Date(startedAt).toISOString(),
    durationMs: Date.now() - startedAt,
    hasPassed: score.failed + score.blocked === 0,
    score,
    results,
  }

  async function take(place: Place): Promise<CheckResult> {
    signal.throwIfAborted()
    if (Date.now() - startedAt > deadlineMs) blockedBy ??= 'deadline'
    const result = blockedBy === undefined ? await run(place) : block(place, blockedBy)
    found.set(place.check.name, result)
    onResult(result)
    return result
  }

  async function run({ check, group, pace }: Place): Promise<CheckResult> {
    const { brokenCount } = target
    const begunAt = performance.now()
    const verdict = await judge(check, target)
    const durationMs = Math.round(performance.now() - begunAt)
    const hasBroken = verdict.outcome === 'failed' && target.brokenCount > brokenCount
    if (hasBroken && pace !== 'gate') {
      // It may only have closed this connection, or be restarted by whatever watches over it.
      if (!(await isListening(url, signal))) blockedBy ??= check.name
    }
    const { outcome, seen } = verdict
    return { ...describe(check, group), outcome, seen, durationMs }
  }
}

interface Place {
  check: Check
  group: string
  pace: CheckGroup['pace']
}

function placesIn(groups: readonly CheckGroup[]): Place[] {
  return groups.flatMap(({ title, pace, checks: members }) =>
    members.map((check) => ({ check, group: title, pace })),
  )
}

// More would make a receiver with a small pool look slow.
const width = 8

async function together(places: Place[], take: (place: Place) => Promise<unknown>): Promise<void> {
  const left = places.values()
  const lane = async () => {
    for (const place of left) await take(place)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

async function judge(check: Check, target: Target): Promise<Verdict> {
  try {
    return await check.run(target)
  } catch (error) {
    target.signal.throwIfAborted()
    // What a restart or a count throws is told: it says what to mend in the command or the database.
    const reason = error instanceof Error ? error.message : String(error)
    return { outcome: 'failed', seen: `the check itself failed: ${reason}` }
  }
}

function block({ check, group }: Place, blockedBy: string): CheckResult {
  const reason =
    blockedBy === 'deadline'
      ? 'The run had used up its time.'
      : `Nothing can be learnt from it before ${blockedBy} has passed.`
  return { ...describe(check, group), ...notRun(reason), durationMs: 0, blockedBy }
}

function describe({ name, title, why, fix }: Check, group: string) {
  return { name, group, title, why, fix }
}
