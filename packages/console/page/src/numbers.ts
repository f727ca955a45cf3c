import type { BoundedCount } from '@feed-receiver/inbox'

const format = new Intl.NumberFormat('en')

/** A number with its thousands apart. */
export function formatNumber(value: number): string {
  return format.format(value)
}

/** A count, with a plus where there are more than were counted. */
export function formatCount({ count, isExact }: BoundedCount): string {
  return `${formatNumber(count)}${isExact ? '' : '+'}`
}

/** A number and what it counts, in the plural where it is not one. */
export function formatPlural(value: number, one: string, many: string): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`
}
