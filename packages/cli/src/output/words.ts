import type { BoundedCount } from '@feed-receiver/inbox'

/** A count with its noun: `1 entry`, `1,234 entries`, `2 pushes`. */
export function many(count: number, what: string): string {
  return `${numeral(count)} ${count === 1 ? what : pluralOf(what)}`
}

/** The counts that are not 0, with what they count. */
export function nonZero(counts: readonly (readonly [count: number, what: string])[]): string[] {
  return counts.flatMap(([count, what]) => (count > 0 ? [`${numeral(count)} ${what}`] : []))
}

/** A count of entries, which may have stopped at a limit. */
export function describeEntries({ count, isExact }: BoundedCount): string {
  return atLeast(many(count, 'entry'), isExact)
}

/** Like `describeEntries`, where a label names them. */
export function describeCount({ count, isExact }: BoundedCount): string {
  return atLeast(numeral(count), isExact)
}

function atLeast(written: string, isExact: boolean): string {
  return isExact ? written : `at least ${written}`
}

/** The parts that there are, such as `isLate && 'It was late.'`. */
export function present(...parts: (string | false | null | undefined)[]): string[] {
  return parts.filter((part) => typeof part === 'string')
}

/** `1,234` */
export function numeral(count: number): string {
  return count.toLocaleString('en')
}

function pluralOf(what: string): string {
  if (/[^aeiou]y$/.test(what)) return what.replace(/y$/, 'ies')
  return /(?:s|x|ch|sh)$/.test(what) ? `${what}es` : `${what}s`
}
