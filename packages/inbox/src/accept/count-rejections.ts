import { AsyncResource } from 'node:async_hooks'
import { causeOf, reasons, type Meaning, type Observation } from '@feed-receiver/core'
import { cleanText } from '../clean-text.ts'
import { recordsSql } from '../entry/columns.ts'
import { instruments } from '../telemetry/instruments.ts'
import { waitAtMost } from '../timeout.ts'
import type { InboxStore } from '../context.ts'

/** The reason under which rejections with an unknown reason are counted. */
export const otherReason = 'other'

/** From the end of a write to the next one. */
const writeIntervalMs = 5_000
const closeTimeoutMs = 2_000

/** The unwritten count of one reason. */
interface Rejection {
  reason: string
  status: number
  cause: string | null
  count: number
  /** By the monotonic clock. */
  lastAt: number
}

/**
 * The counts of rejected deliveries of this process. They wait in memory, one row per reason, and
 * are written in one statement: the first immediately, later ones 5 seconds apart. So a flood of
 * forged requests costs no more than a single one.
 */
export interface RejectionCounts {
  /** Measures a response, and counts it if it was a rejection, but not of a test. */
  add(observation: Observation): void
  /**
   * Writes to an inbox from now on, including the waiting counts. The returned function writes the
   * rest and stops. An error is reported once until writing succeeds, and the counts wait.
   */
  writeTo(store: InboxStore, onError: (error: unknown) => void): () => Promise<void>
}

export function createRejectionCounts(source: string): RejectionCounts {
  const waiting = new Map<string, Rejection>()
  let write: ((rejections: readonly Rejection[]) => Promise<void>) | undefined
  let writing: Promise<void> | undefined
  let nextWrite: NodeJS.Timeout | undefined

  return {
    add(observation) {
      const reason = rejectedAs(observation.reason)
      measureAnswer(source, observation, reason)
      if (reason === undefined || observation.isCheck) return
      const status = toStatus(observation.status)
      merge({ reason, status, cause: causeOf(observation), count: 1, lastAt: performance.now() })
      writeIfDue()
    },
    writeTo(store, onError) {
      write = writerOn(store, onError)
      writeIfDue()
      return async () => {
        await waitAtMost(closeTimeoutMs, writeAll())
        write = undefined
      }
    },
  }

  async function writeAll(): Promise<void> {
    await writing
    clearTimeout(nextWrite)
    writeNext()
    await writing
  }

  function merge(rejection: Rejection): void {
    const known = waiting.get(rejection.reason) ?? { ...rejection, count: 0 }
    // Counts that could not be written are merged with newer ones.
    const [older, newer] = rejection.lastAt < known.lastAt ? [rejection, known] : [known, rejection]
    const [cause, count] = [newer.cause ?? older.cause, known.count + rejection.count]
    waiting.set(rejection.reason, { ...newer, cause, count })
  }

  function writeIfDue(): void {
    if (!write || writing || nextWrite || waiting.size === 0) return
    const rejections = [...waiting.values()]
    waiting.clear()
    writing = write(rejections)
      .catch(() => rejections.forEach(merge))
      .finally(() => {
        writing = undefined
        nextWrite = setTimeout(writeNext, writeIntervalMs).unref()
      })
  }

  function writeNext(): void {
    nextWrite = undefined
    writeIfDue()
  }
}

const meanings: Readonly<Record<string, Meaning>> = reasons

/** The reason under which a rejection is counted; undefined for a stored delivery. */
function rejectedAs(reason: string): string | undefined {
  // A wrapper around the inbox may use any number of reasons of its own.
  if (!Object.hasOwn(meanings, reason)) return otherReason
  return meanings[reason]?.error === undefined ? undefined : reason
}

function measureAnswer(
  source: string,
  { reason, durationMs }: Observation,
  rejected: string | undefined,
): void {
  const { answerSeconds, rejected: rejections } = instruments()
  const isOwn = reason === 'stored' || reason === 'duplicate'
  const outcome = rejected !== undefined ? 'rejected' : isOwn ? reason : 'quarantined'
  answerSeconds.record(durationMs / 1_000, { 'feed.source': source, 'feed.outcome': outcome })
  if (rejected !== undefined) rejections.add(1, { 'feed.source': source, 'feed.reason': rejected })
}

/** Limits a status of a wrapper to the range of the column. */
function toStatus(status: number): number {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : 0
}

const types = {
  reason: 'text',
  status: 'smallint',
  cause: 'text',
  count: 'bigint',
  last_at: 'timestamptz',
}

function writerOn({ database, tables, source }: InboxStore, onError: (error: unknown) => void) {
  // Bound here, outside of any transaction in which a delivery may be answered.
  const query = AsyncResource.bind(database.query)
  let isFailing = false
  // Another process may have written a later one, while these counts waited.
  const isLater = 'excluded.last_at >= known.last_at'
  // Sorted by key, so that concurrent processes do not deadlock. A time more than five minutes
  // ahead comes from a wrong clock, with which no delivery would be accepted.
  const text = `insert into ${tables.rejection} as known
      (source, reason, hour, count, last_at, status, cause)
    select $1, reason, date_trunc('hour', at, 'UTC'), count, at, status, cause
    from ${recordsSql('$2', 'rejection', types)},
      lateral (select least(last_at, now() + interval '5 minutes') as at) clamped
    order by reason
    on conflict (source, reason, hour) do update set
      count = known.count + excluded.count,
      last_at = greatest(known.last_at, excluded.last_at),
      status = case when ${isLater} then excluded.status else known.status end,
      cause = case when ${isLater} then coalesce(excluded.cause, known.cause)
        else coalesce(known.cause, excluded.cause) end`

  return async (rejections: readonly Rejection[]): Promise<void> => {
    try {
      await query(text, [source, JSON.stringify(rejections.map(toRow))])
      isFailing = false
    } catch (error) {
      if (!isFailing) onError(error)
      isFailing = true
      throw error
    }
  }
}

function toRow({ reason, status, cause, count, lastAt }: Rejection) {
  const last_at = new Date(Date.now() - (performance.now() - lastAt))
  return { reason, status, cause: cause === null ? null : cleanText(cause), count, last_at }
}
