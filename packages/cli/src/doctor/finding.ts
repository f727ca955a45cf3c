import { fill } from '../texts.ts'
import { describeWho, type Trap } from '../traps/find-trap.ts'
import json from './findings.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

/** What one look at an installation came to. */
export interface Finding {
  /** What was looked at. */
  check: string
  /** `failed` loses deliveries or accepts forged ones; `skipped` was not possible to look at. */
  verdict: keyof typeof texts
  /** What was seen. */
  says: string
  /** What to do about it; missing if all is well. */
  fix?: string
  /** Who answered in place of the receiver, where a bad answer shows it. */
  trap?: Trap
}

export const ok = finder('ok', texts.ok)
export const warning = finder('warning', texts.warning)
export const failed = finder('failed', texts.failed)
export const skipped = finder('skipped', texts.skipped)

function finder<Code extends string>(
  verdict: Finding['verdict'],
  table: Record<Code, Omit<Finding, 'verdict'>>,
) {
  return (code: Code, values: Record<string, string | number> = {}): Finding => {
    const { check, says, fix } = table[code]
    const found = { check: fill(check, values), verdict, says: fill(says, values) }
    return fix === undefined ? found : { ...found, fix: fill(fix, values) }
  }
}

/** The finding with the advice of a trap in place of its own. */
export function withTrap(finding: Finding, trap: Trap | undefined): Finding {
  if (!trap) return finding
  return { ...finding, fix: `${describeWho(trap)} ${trap.fix} See ${trap.page}`, trap }
}

/** Judges how far another clock is from ours, given how long the look at it took. */
export function judgeSkew(
  check: string,
  theirsMs: number,
  { sentMs, receivedMs }: { sentMs: number; receivedMs: number },
): Finding {
  // Whatever lies between the two readings of ours is no skew.
  const seconds = Math.round(Math.max(0, theirsMs - receivedMs, sentMs - theirsMs) / 1000)
  if (seconds > 300) return failed('clock', { check, seconds })
  return seconds > 10 ? warning('clock', { check, seconds }) : ok('clock', { check })
}
