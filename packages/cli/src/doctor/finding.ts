import { fill } from '../texts.ts'
import { describeWho, type Trap } from '../traps/find-trap.ts'
import json from './findings.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** The result of one check of an installation. */
export interface Finding {
  /** The name of the check. */
  check: string
  /** `failed` loses deliveries or accepts forged ones; `skipped` could not be checked. */
  verdict: keyof typeof texts
  /** The observation. */
  says: string
  /** How to fix it; missing if all is well. */
  fix?: string
  /** The program that answered instead of the receiver, if a bad response shows it. */
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

/** The finding, with its fix replaced by that of the trap. */
export function withTrap(finding: Finding, trap: Trap | undefined): Finding {
  if (!trap) return finding
  return { ...finding, fix: `${describeWho(trap)} ${trap.fix} See ${trap.page}`, trap }
}

/** Judges the skew of another clock, given the duration of the request that read it. */
export function judgeSkew(
  check: string,
  theirsMs: number,
  { sentMs, receivedMs }: { sentMs: number; receivedMs: number },
): Finding {
  // A difference within the duration of the request is no skew.
  const seconds = Math.round(Math.max(0, theirsMs - receivedMs, sentMs - theirsMs) / 1000)
  if (seconds > 300) return failed('clock', { check, seconds })
  return seconds > 10 ? warning('clock', { check, seconds }) : ok('clock', { check })
}
