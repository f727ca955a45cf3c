import { formatAhead, useTick } from '@feed-receiver/page-kit'

let reading = { at: Date.now(), readAt: performance.now(), isFrozen: false }

export function setNow({ now, isFrozen }: { now: string; isFrozen: boolean }): void {
  reading = { at: Date.parse(now), readAt: performance.now(), isFrozen }
}

/** The time of the sandbox's clock, in milliseconds. */
export function sandboxNow(): number {
  return reading.at + (reading.isFrozen ? 0 : performance.now() - reading.readAt)
}

/** A time relative to the sandbox's clock. */
export function When({ at }: { at: string | null | undefined }) {
  useTick(1_000)
  if (at === null || at === undefined) return <span class="muted">–</span>
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAhead(Date.parse(at) - sandboxNow())}
    </time>
  )
}

export function formatTime(time: string | number): string {
  return `${new Date(time).toISOString().replace('T', ' ').slice(0, 19)} UTC`
}
