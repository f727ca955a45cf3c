import { describeWho } from '../traps/find-trap.ts'
import type { CheckResult } from './verdict.ts'

/**
 * Why a check matters and how to fix the receiver, as labels and texts. The fix of a trap is
 * better than that of the check, because it says who has to change something.
 */
export function fixLines({ why, fix, trap }: CheckResult): [label: string, text: string][] {
  const own: [string, string][] = [
    ['why', why],
    ['fix', trap?.fix ?? fix],
  ]
  if (!trap) return own
  return [['who', describeWho(trap)], ...own, ['see', trap.page]]
}
