import { describeWho, guideUrl, type Trap } from '../conformance/traps/find-trap.ts'

export interface Finding {
  check: string
  /** `failed` loses deliveries or accepts forged ones; `skipped` could not be checked. */
  verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  says: string
  /** How to fix it; missing if all is well. */
  fix?: string
  /** The program that answered instead of the receiver, if a bad response shows it. */
  trap?: Trap
}

export const ok = (check: string, says: string): Finding => ({ check, verdict: 'ok', says })
export const warning = finder('warning')
export const failed = finder('failed')
export const skipped = finder('skipped')

/** Creates a finding. The observation of some already says how to fix it. */
function finder(verdict: Finding['verdict']) {
  return (check: string, says: string, fix?: string): Finding => {
    return { check, verdict, says, ...(fix !== undefined && { fix }) }
  }
}

export function withTrap(finding: Finding, trap: Trap | undefined): Finding {
  if (!trap) return finding
  return { ...finding, fix: `${describeWho(trap)} ${trap.fix} See ${guideUrl(trap)}`, trap }
}

/** Checks the skew of another clock, given the duration of the request that read it. */
export function diagnoseSkew(
  check: string,
  theirsMs: number,
  { sentMs, receivedMs }: { sentMs: number; receivedMs: number },
): Finding {
  // A difference within the duration of the request is no skew.
  const seconds = Math.round(Math.max(0, theirsMs - receivedMs, sentMs - theirsMs) / 1000)
  if (seconds <= 10) return ok(check, 'The clock agrees with the clock of this machine.')
  const says = `The clock differs by ${seconds} s from the clock of this machine.`
  const fix = 'Synchronize both clocks with NTP.'
  return seconds > 300
    ? failed(check, `${says} The tolerance is 300 s.`, fix)
    : warning(check, says, fix)
}
