import { InboxError } from './errors.ts'

const maxDays = 36_500

/** Checks a number of days; parts of a day are fine. */
export function checkDays(name: string, days: number): void {
  if (days >= 0 && days <= maxDays) return
  throw new InboxError('bad_option', `${name}: use a number from 0 to ${maxDays}.`)
}
