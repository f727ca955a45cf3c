import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from './inbox.ts'

export interface UntilIdleOptions {
  /**
   * The timeout of `untilIdle`, in milliseconds.
   * @default 15_000
   */
  timeoutMs?: number
}

const pollMs = 20

/**
 * Waits until no due event is pending: every stored event is done, skipped or dead, or its handler
 * failed and its retry is due later, or it is paused. The handlers have committed by then. Rejects
 * with an `Error` that names the pending events after the timeout, and with the inbox's own errors,
 * such as `not_running`.
 */
export async function untilIdle(
  inbox: Pick<Inbox, 'entries' | 'health'>,
  { timeoutMs = 15_000 }: UntilIdleOptions = {},
): Promise<void> {
  const endsAt = performance.now() + timeoutMs
  while (!(await isIdle(inbox))) {
    if (performance.now() > endsAt) throw await stillOpen(inbox, timeoutMs)
    await delay(pollMs)
  }
}

async function isIdle({ entries, health }: Parameters<typeof untilIdle>[0]) {
  const { count } = await entries.count({ state: 'received' })
  if (count === 0) return true
  const { backlog } = await health()
  if (!backlog || backlog.running.count > 0 || !backlog.waiting.isExact) return false
  // `waiting` includes jobs that wait for a retry or for a resume.
  return backlog.later.count + backlog.paused.count === backlog.waiting.count
}

async function stillOpen({ entries }: Pick<Inbox, 'entries'>, timeoutMs: number): Promise<Error> {
  const open = await entries.list({ state: 'received', limit: 3 })
  const ids = open.entries.map(({ eventId }) => eventId).join(', ')
  return new Error(
    `Events are still pending after ${timeoutMs} ms, for example ${ids}. Check that this test ` +
      'calls inbox.work(handlers), and that its handlers return.',
  )
}
