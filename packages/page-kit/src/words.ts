import { useEffect, useState } from 'preact/hooks'

const format = new Intl.NumberFormat('en')

/** A number with thousands separators. */
export function formatNumber(value: number): string {
  return format.format(value)
}

/** A number and its unit, in the plural unless it is one. */
export function formatPlural(value: number, one: string, many: string): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}

const units = [
  ['day', 'd', 86_400],
  ['hour', 'h', 3_600],
  ['minute', 'min', 60],
  ['second', 's', 1],
] as const

/** Formats a duration with so many units at most, such as "4 min 30 s". */
export function formatDuration(ms: number, most = 2): string {
  if (Math.abs(ms) < 1000) return `${Math.round(ms)} ms`
  let rest = Math.round(Math.abs(ms) / 1000)
  const parts = units.flatMap(([, unit, seconds]) => {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    return count > 0 ? [`${formatNumber(count)} ${unit}`] : []
  })
  return parts.slice(0, most).join(' ')
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Formats a time that is so many milliseconds ahead, or ago if they are negative. */
export function formatAhead(ms: number): string {
  const seconds = Math.trunc(ms / 1_000)
  const found = units.find(([, , least]) => Math.abs(seconds) >= least)
  if (!found || (seconds > -5 && seconds < 1)) return 'just now'
  const [unit, , length] = found
  return relative.format(Math.trunc(seconds / length), unit)
}

/** Spells the name of a state or a rule as words. */
export function spell(name: string): string {
  return name.replaceAll('_', ' ')
}

/** Formats JSON with a line for each member; null if the text is no JSON. */
export function toPretty(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}

/** Rerenders the component at an interval, for texts such as relative times. */
export function useTick(everyMs: number): void {
  const [, setCount] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
