import { causeOf, type Cause } from './cause.ts'
import type { ReadSignature } from './read-signature.ts'

/** Says whether the delivery was within the window when it came, as far as that is known. */
export function judgeTime(
  { timestamp, problem }: ReadSignature,
  receivedAt: string | null,
  { toleranceSeconds, now }: { toleranceSeconds: number; now: () => number },
): { cause?: Cause; note?: string } {
  // The form of a timestamp in milliseconds is wrong, so its distance says nothing.
  if (problem?.code === 'header_milliseconds') return {}
  const received = receivedAt === null ? Number.NaN : Date.parse(receivedAt)
  const isKnown = !Number.isNaN(received)
  const skew = Math.floor((isKnown ? received : now()) / 1000) - Number(timestamp)
  // Nothing can be captured before it was signed, whenever that was.
  const isOutside = isKnown ? Math.abs(skew) > toleranceSeconds : skew < -toleranceSeconds
  if (isOutside) return { cause: outside(skew, toleranceSeconds) }
  if (isKnown || skew <= toleranceSeconds) return {}
  return {
    note:
      `It was signed ${describeSeconds(skew)} ago. A receiver takes it within ${toleranceSeconds} s; ` +
      'say when it came with --received-at, to have that judged.',
  }
}

function outside(skew: number, toleranceSeconds: number): Cause {
  return causeOf('outside_window', {
    age: describeSeconds(Math.abs(skew)),
    side: skew > 0 ? 'before' : 'after',
    tolerance: String(toleranceSeconds),
    zone: isZone(skew) ? ' A difference in whole half hours looks like a time zone.' : '',
  })
}

function isZone(skew: number): boolean {
  const nearest = Math.round(skew / 1800) * 1800
  return nearest !== 0 && Math.abs(skew) <= 14 * 3600 && Math.abs(skew - nearest) <= 60
}

function describeSeconds(seconds: number): string {
  if (seconds < 7200) return `${seconds} s`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
