import { setTimeout as delay } from 'node:timers/promises'
import type { EntryDetails, Inbox } from '@feed-receiver/inbox'
import type { ToldRun } from './lines.ts'

const pollMs = 500
/** This many of the newest entries are checked. Older ones are on the page. */
const newest = 50

interface Watch {
  onRun: (run: ToldRun & { eventId: string }) => void
  /** Runs that ended before are not reported. */
  since: Date
  /**
   * The reported state of the newest entries, by event id. The next watch of the same inbox reuses
   * it.
   */
  told: Map<string, string>
  signal: AbortSignal
}

/**
 * Calls back with each completed run of a handler until the signal aborts. Of several attempts
 * between two polls, it reports the last one, because the inbox stores no other.
 */
export async function watchRuns(
  inbox: Pick<Inbox, 'entries'>,
  { onRun, since, told, signal }: Watch,
): Promise<void> {
  while (!signal.aborted) {
    const seen = new Map<string, string>()
    const { entries } = await inbox.entries.list({ limit: newest })
    for (const { eventId, type, state, handledAt } of entries) {
      const before = told.get(eventId)
      const isEarlier = handledAt !== null && Date.parse(handledAt) < since.getTime()
      const isTold = before === `${state} ${handledAt ?? ''}`
      if (type === 'destination_test' || isEarlier || isTold) {
        if (isTold) seen.set(eventId, before)
        continue
      }
      const entry = await inbox.entries.get(eventId)
      const run = entry && readRun(entry)
      const now =
        state === 'received' ? `attempt ${run?.attempt ?? 0}` : `${state} ${handledAt ?? ''}`
      if (run && before !== now) onRun({ eventId, ...run })
      seen.set(eventId, now)
    }
    told.clear()
    for (const [eventId, state] of seen) told.set(eventId, state)
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The last completed run; undefined if there is none. */
function readRun({ type, title, state, job }: EntryDetails): ToldRun | undefined {
  const attempt = job?.attempts ?? 1
  const error = job?.lastError?.message ?? null
  const run = { type, title, durationMs: durationOf(job), error, attempt }
  if (state !== 'received') return { ...run, state }
  return job?.state === 'retrying' ? { ...run, state: 'failed' } : undefined
}

function durationOf(job: EntryDetails['job']): number | null {
  if (!job?.startedAt || !job.endedAt) return null
  return Date.parse(job.endedAt) - Date.parse(job.startedAt)
}
