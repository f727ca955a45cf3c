import type { Database, Queryable } from '@feed-receiver/database'
import { Refusal } from '../server/refusals.ts'

export interface ClockReading {
  /** The time in the sandbox. */
  now: Date
  /** How far it is ahead of real time while it runs. */
  shiftMs: number
  isFrozen: boolean
}

/**
 * The sandbox's own time, kept in its database: it survives a restart and is one for every process.
 * SQL reads it as `sandbox.clock_time()`.
 */
export interface SandboxClock {
  now(): Promise<Date>
  read(): Promise<ClockReading>
  /** Moves it by this many milliseconds, back too, whether it runs or stands. */
  shift(ms: number): Promise<ClockReading>
  /** Moves it on; 0 milliseconds or more. */
  advance(ms: number): Promise<ClockReading>
  /** Stops it, at the given time or where it is. */
  freeze(at?: Date): Promise<ClockReading>
  /** Lets it run on from where it stands. */
  unfreeze(): Promise<ClockReading>
  /** Real time again, running. */
  reset(): Promise<ClockReading>
  /** Has something run after each move made in this process; returns what ends that. */
  onMove(run: () => void): () => void
}

export function createClock(database: Database): SandboxClock {
  const followers = new Set<() => void>()

  return {
    now: async () => (await readClock(database)).now,
    read: () => readClock(database),
    shift,
    async advance(ms) {
      if (!(ms >= 0)) throw new RangeError('A clock advances by 0 milliseconds or more.')
      return await shift(ms)
    },
    freeze: (at) => move(freezeSql, [at ?? null], (now) => at?.getTime() ?? now),
    unfreeze: () => move(unfreezeSql),
    reset: () => move(resetSql),
    onMove(run) {
      followers.add(run)
      return () => followers.delete(run)
    },
  }

  function shift(ms: number): Promise<ClockReading> {
    return move(shiftSql, [ms], (now) => now + ms)
  }

  async function move(
    text: string,
    values: unknown[] = [],
    target: (now: number) => number = () => Date.now(),
  ): Promise<ClockReading> {
    const reading = await database.tx(async (tx) => {
      await tx.query('select from sandbox.clock for update')
      const before = await readClock(tx)
      checkTarget(target(before.now.getTime()))
      await tx.query(text, values)
      const after = await readClock(tx)
      if (after.now < before.now) await tx.query(forgetUseSql)
      return after
    })
    for (const run of followers) run()
    return reading
  }
}

/** Allowances begin in 1970, and what is due later needs a year that has four digits as well. */
export function isClockTime(time: number): boolean {
  return time >= Date.parse('1970-01-01T00:00:00Z') && time < Date.parse('9999-01-01T00:00:00Z')
}

function checkTarget(time: number): void {
  if (isClockTime(time)) return
  const detail = 'The clock of a sandbox stays within the years 1970 to 9998.'
  throw new Refusal('bad_parameter', { detail })
}

const shiftSql = `
  update sandbox.clock
  set shift_ms = shift_ms + $1::bigint,
      frozen_at = frozen_at + $1::bigint * interval '1 millisecond'`

const freezeSql = `
  update sandbox.clock
  set frozen_at = coalesce($1::timestamptz, sandbox.clock_time())`

const unfreezeSql = `
  update sandbox.clock
  set shift_ms = round(extract(epoch from frozen_at - clock_timestamp()) * 1000), frozen_at = null
  where frozen_at is not null`

const resetSql = 'update sandbox.clock set shift_ms = 0, frozen_at = null'

// Periods only ever move on (see charge-requests), so one that the clock went back behind would last
// until it is reached again.
const forgetUseSql = `
  update sandbox.allowance
  set period_start = 'epoch', window_start = 'epoch', requests = 0, burst_requests = 0`

async function readClock(db: Queryable): Promise<ClockReading> {
  const { rows } = await db.query<{ now: Date; shift_ms: number; is_frozen: boolean }>(
    `select sandbox.clock_time() as now, shift_ms, frozen_at is not null as is_frozen
     from sandbox.clock`,
  )
  const [row] = rows
  if (!row) throw new Error('The table sandbox.clock has lost its only row.')
  return { now: row.now, shiftMs: row.shift_ms, isFrozen: row.is_frozen }
}
