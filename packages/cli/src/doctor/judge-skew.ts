import { failed, ok, warning, type Finding } from './finding.ts'

/** Judges how far another clock is from ours, given how long the look at it took. */
export function judgeSkew(
  check: string,
  theirsMs: number,
  { sentMs, receivedMs }: { sentMs: number; receivedMs: number },
): Finding {
  // Whatever lies between the two readings of ours is no skew.
  const skewMs = Math.max(0, theirsMs - receivedMs, sentMs - theirsMs)
  const seconds = Math.round(skewMs / 1000)
  const fix = 'Set both clocks by NTP.'
  if (seconds > windowSeconds) {
    return failed(
      check,
      `It is ${seconds} s from ours; signatures hold for ${windowSeconds} s.`,
      fix,
    )
  }
  if (seconds > warnSeconds) return warning(check, `It is ${seconds} s from ours.`, fix)
  return ok(check, 'It agrees with ours.')
}

const windowSeconds = 300
const warnSeconds = 10
