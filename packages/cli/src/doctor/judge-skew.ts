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
  const says = `It is ${seconds} s from ours`
  const fix = 'Set both clocks by NTP.'
  if (seconds > 300) return failed(check, `${says}; signatures hold for 300 s.`, fix)
  if (seconds > 10) return warning(check, `${says}.`, fix)
  return ok(check, 'It agrees with ours.')
}
