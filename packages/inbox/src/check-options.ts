import { InboxError } from './errors.ts'

const maxDays = 36_500

/** Checks a number of days; parts of a day are fine. */
export function checkDays(name: string, days: number): void {
  if (days >= 0 && days <= maxDays) return
  throw new InboxError('bad_option', `${name}: use a number from 0 to ${maxDays}.`)
}

/** Checks for how long to look back. */
export function checkHours(hours: number): void {
  if (hours > 0 && hours <= 24 * 366) return
  throw new InboxError('bad_option', 'hours: use a number above 0, up to a year.')
}

/** Checks how many handlers may run at once. */
export function checkConcurrency(concurrency: number): void {
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000) return
  throw new InboxError('bad_option', 'concurrency: use a whole number from 1 to 1,000.')
}

/** Checks a time to wait. */
export function checkTime(name: string, ms: number): void {
  if (ms >= 0 && ms < 2 ** 31) return
  throw new InboxError('bad_option', `${name}: use a number of milliseconds, 0 or more.`)
}

/** Checks what becomes part of SQL and of the names of queues. */
export function checkNames(source: string, schema: string): void {
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(source)) {
    throw new InboxError('bad_option', 'source: use 1 to 40 of a-z, 0-9, - and _, a letter first.')
  }
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(schema)) {
    throw new InboxError('bad_option', 'schema: use 1 to 40 of a-z, 0-9 and _, a letter first.')
  }
}

/** Rejects `backend`, which earlier versions had, because ignoring it would hide what was expected. */
export function checkBackend(options: object): void {
  if (!('backend' in options) || options.backend === undefined) return
  throw new InboxError(
    'bad_option',
    'backend: the inbox runs on PostgreSQL or embedded. Leave this option out.',
  )
}
