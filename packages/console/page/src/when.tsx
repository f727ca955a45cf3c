import { useTick } from '@feed-receiver/page-kit'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** A moment as people say it, and to the second for whoever points at it. */
export function When({ at }: { at: string }) {
  useTick(5_000)
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(Date.parse(at) - Date.now())}
    </time>
  )
}

/** A moment to the second, in the zone of whoever looks. */
export function formatTime(at: string): string {
  return absolute.format(new Date(at))
}

/** A time as the service says it, which may say anything. */
export function readableTime(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : formatTime(text)
}

/** How long something has lasted. */
export function formatDuration(seconds: number): string {
  const [unit, size] = unitOf(seconds)
  const count = Math.max(0, Math.floor(seconds / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function formatAgo(differenceMs: number): string {
  const seconds = differenceMs / 1_000
  if (Math.abs(seconds) < 5) return 'just now'
  const [unit, size] = unitOf(Math.abs(seconds))
  return relative.format(Math.trunc(seconds / size), unit)
}

function unitOf(seconds: number): [Intl.RelativeTimeFormatUnit, number] {
  return units.find(([, length]) => seconds >= length) ?? ['second', 1]
}
