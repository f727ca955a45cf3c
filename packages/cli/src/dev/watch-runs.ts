import { setTimeout as delay } from 'node:timers/promises'
import type { EntryDetails, Inbox } from '@feed-receiver/inbox'
import type { HandlerRun } from './lines.ts'

const pollMs = 500
/** This many of the newest entries are checked. Older ones are on the page. */
const newest = 50

interface Watch {
  onRun: (run: HandlerRun) => void
  /** Runs that ended before are not reported. */
  since: Date
  /**
   * The mark of the last reported run of the newest entries, by event id. The next watch of the
   * same inbox reuses it.
   */
  reported: Map<string, string>
  signal: AbortSignal
}

/**
 * Calls back with each completed run of a handler until the signal aborts. Of several attempts
 * between two polls, it reports the last one, because the inbox stores no other.
 */
export async function watchRuns(
  inbox: Pick<Inbox, 'entries'>,
  { onRun, since, reported, signal }: Watch,
): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const { entries } = await inbox.entries.list({ limit: newest })
    for (const listed of entries) {
      const { eventId, type, handledAt } = listed
      const isEarlier = handledAt !== null && Date.parse(handledAt) < since.getTime()
      if (type === 'destination_test' || isEarlier) continue
      if (reported.get(eventId) === markOf(listed)) continue
      // A run may have ended since the list was read, so the mark is that of the entry as reported.
      const entry = await inbox.entries.get(eventId)
      const run = entry && readRun(entry)
      if (!run) continue
      const mark = markOf(entry, entry.job)
      if (reported.get(eventId) === mark) continue
      reported.set(eventId, mark)
      // The inbox stores no end of a failed run, but this one had ended by the first poll.
      const isFailedBefore =
        isFirst && run.state === 'failed' && new Date(entry.job?.startedAt ?? 0) < since
      if (isFailedBefore) continue
      onRun(run)
    }
    const ids = new Set(entries.map(({ eventId }) => eventId))
    for (const eventId of reported.keys()) if (!ids.has(eventId)) reported.delete(eventId)
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Differs for each completed run of one entry. */
function markOf(
  { state, handledAt }: Pick<EntryDetails, 'state' | 'handledAt'>,
  job: EntryDetails['job'] = null,
): string {
  return `${state} ${handledAt ?? job?.startedAt ?? ''}`
}

/** The last completed run; undefined if there is none. */
function readRun({ eventId, type, title, state, job }: EntryDetails): HandlerRun | undefined {
  const attempt = job?.attempts ?? 1
  const error = job?.lastError?.message ?? null
  const nextAttemptAt = job?.nextAttemptAt ?? null
  const durationMs = durationOf(job)
  const run = { eventId, type, title, durationMs, error, attempt, nextAttemptAt }
  if (state !== 'received') return { ...run, state }
  return job?.state === 'retrying' ? { ...run, state: 'failed' } : undefined
}

function durationOf(job: EntryDetails['job']): number | null {
  if (!job?.startedAt || !job.endedAt) return null
  return Date.parse(job.endedAt) - Date.parse(job.startedAt)
}
