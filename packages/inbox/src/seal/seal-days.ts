import { setTimeout as delay } from 'node:timers/promises'
import type { StoredPlace } from '../queue/queue.ts'
import { dayAfter, firstHead, headOf } from './day.ts'
import { isSettled, markLatest, type Mark } from './settled.ts'
import { walkDay } from './walk-day.ts'

export interface SealOptions {
  /**
   * How long to wait for transactions in progress, in milliseconds.
   * @default 0
   */
  waitMs?: number
  /**
   * The most days of one call.
   * @default 400
   */
  maxDays?: number
  signal?: AbortSignal | undefined
}

/** A day may end a little later by the clocks of other processes. */
const graceMinutes = 10
const pollMs = 100

/**
 * Creates the function that seals the days that have ended: it counts and hashes their entries, and
 * chains them to the day before. Returns whether every ended day is sealed. Safe in several
 * processes at once: the first to insert a day wins, and the others continue from its row. An
 * unsettled mark stays for the next call.
 */
export function createSealing(place: StoredPlace) {
  // Taken after the day ended, or entries of the day would lie behind it.
  let marked: { mark: Mark; today: string } | undefined

  return async ({ waitMs = 0, maxDays = 400, signal }: SealOptions = {}): Promise<boolean> => {
    let next = await findNext(place)
    if (!next) return true
    const { today } = next
    if (marked?.today !== today) marked = { mark: await markLatest(place), today }
    const { mark } = marked
    if (!(await settles(place, mark, waitMs, signal))) return false
    for (let days = 0; days < maxDays; days += 1) {
      // Another day may have ended since the mark.
      if (signal?.aborted || next.today !== today) return false
      next = await sealDay(place, next, Math.max(mark.uptoId, next.afterId))
      if (!next) return true
    }
    return false
  }
}

async function settles(
  place: StoredPlace,
  mark: Mark,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const givesUpAt = performance.now() + waitMs
  for (;;) {
    if (await isSettled(place, mark)) return true
    if (performance.now() >= givesUpAt || signal?.aborted) return false
    await delay(pollMs)
  }
}

interface NextDay {
  day: string
  /** The first day that has not ended. */
  today: string
  afterId: number
  head: string
}

/** The day to seal next; undefined if every ended day is sealed. */
async function findNext({ database, tables, source }: StoredPlace): Promise<NextDay | undefined> {
  const { rows } = await database.query<{
    sealed: { day: string; uptoId: number; head: string } | null
    first: string | null
    today: string
  }>(
    `select (
       select json_build_object('day', day, 'uptoId', upto_id, 'head', encode(head, 'hex'))
       from ${tables.sealedDay} where source = $1 order by day desc limit 1
     ) as sealed,
     to_char(min(received_at) at time zone 'UTC', 'YYYY-MM-DD') as first,
     to_char((now() - interval '${graceMinutes} minutes') at time zone 'UTC', 'YYYY-MM-DD') as today
     from ${tables.entry} where source = $1`,
    [source],
  )
  const { sealed = null, first = null, today = '' } = rows[0] ?? {}
  const day = sealed ? dayAfter(sealed.day) : first
  if (day === null || day >= today) return undefined
  return { day, today, afterId: sealed?.uptoId ?? 0, head: sealed?.head ?? firstHead }
}

/** Returns the day after it to seal, if that has ended. */
async function sealDay(
  place: StoredPlace,
  { day, today, afterId, head }: NextDay,
  uptoId: number,
): Promise<NextDay | undefined> {
  const { database, tables, source } = place
  const { count, digest } = await walkDay(place, { day, afterId, uptoId })
  const sealed = headOf(head, day, count, digest)
  const { rowCount } = await database.query(
    `insert into ${tables.sealedDay} (source, day, upto_id, entry_count, digest, head)
     values ($1, $2::date, $3, $4, decode($5, 'hex'), decode($6, 'hex'))
     on conflict (source, day) do nothing`,
    [source, day, uptoId, count, digest, sealed],
  )
  if (rowCount === 0) return await findNext(place)
  const following = dayAfter(day)
  return following < today ? { day: following, today, afterId: uptoId, head: sealed } : undefined
}
