import { InboxError } from './errors.ts'
import { withResolvers } from './with-resolvers.ts'

/** Waits for a promise. After the timeout, rejects with another error. */
export async function withTimeout<T>(
  waiting: Promise<T>,
  timeoutMs: number,
  late: () => Error,
): Promise<T> {
  const timeout = withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(late()), timeoutMs)
  try {
    return await Promise.race([waiting, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for a promise until the timeout, whatever comes of it. */
export async function waitAtMost(timeoutMs: number, waiting: Promise<unknown>): Promise<void> {
  await withTimeout(waiting, timeoutMs, () => new Error('It takes longer.')).catch(() => undefined)
}

/** Waits for an answer of the queue, for less time than its connections do. Errors: `no_answer`. */
export function withQueueTimeout<T>(waiting: Promise<T>, timeoutMs = 5_000): Promise<T> {
  return withTimeout(
    waiting,
    timeoutMs,
    () => new InboxError('no_answer', 'The queue could not reach the database. Retrying.'),
  )
}
