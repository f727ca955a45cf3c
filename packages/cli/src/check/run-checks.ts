import type { CheckResult } from './check-result.ts'
import { followSignal } from './follow-signal.ts'
import { runEach } from './run-each.ts'
import { scoreOf, type Score } from './score.ts'
import { createTarget, type Restart } from './target.ts'

export interface RunChecksOptions {
  /** The address of the receiver. */
  url: string | URL
  /** The signing secret of the receiver, whole. */
  secret: string
  /** Another one that the receiver accepts as well; enables `rotation`. */
  secondSecret?: string | undefined
  /**
   * Restarts the receiver, and resolves once that is under way or done; enables `restart`. Its signal
   * aborts after a minute, and when the run ends.
   */
  restart?: Restart | undefined
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
 * Runs every check against a receiver, whatever it is written in; a few seconds where it is well.
 * The receiver gets some 150 to 220 deliveries, whose ids begin with `check_`.
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
  signal: outer,
  onResult = () => {},
}: RunChecksOptions): Promise<CheckReport> {
  const url = new URL(given)
  if (!/^https?:$/.test(url.protocol)) {
    throw new TypeError('Deliveries go over http or https. Give the whole URL of the receiver.')
  }
  const startedAt = Date.now()
  const { signal, end } = followSignal(outer)
  try {
    const target = createTarget({ url, secret, secondSecret, restart, storedCount, signal })
    const results = await runEach(target, { deadlineMs, onResult })
    const score = scoreOf(results)
    return {
      url: url.origin + url.pathname,
      startedAt: new Date(startedAt).toISOString(),
      durationMs: Date.now() - startedAt,
      hasPassed: score.failed + score.blocked === 0,
      score,
      results,
    }
  } finally {
    end()
  }
}
