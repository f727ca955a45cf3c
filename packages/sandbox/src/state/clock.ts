import type { Database, Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { dateTime } from './fields.ts'

export interface ClockReading {
  /** The time in the sandbox. */
  now: Date
  /** How far it is ahead of real time while it runs. */
  shiftMs: number
  isFrozen: boolean
}

const byMs = z.int().meta({ title: 'By milliseconds' })

/**
 * Moves the clock whether it runs or stands, stops it, lets it run on, or resets it to real time.
 */
export const clockMove = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('shift'), byMs }),
  z.strictObject({ to: z.literal('advance'), byMs: byMs.min(0) }),
  z.strictObject({ to: z.literal('freeze'), at: dateTime.optional() }),
  z.strictObject({ to: z.enum(['unfreeze', 'reset']) }),
])

export type ClockMove = z.input<typeof clockMove>

/**
 * The sandbox's own clock, stored in its database: it survives a restart and is the same for every
 * process. SQL reads it as `sandbox.clock_time()`.
 */
export function createClock(database: Database) {
  const followers = new Set<() => void>()

  return {
    now: async () => (await readClock(database)).now,
    read: () => readClock(database),
    /** @throws RangeError for an impossible time of a clock */
    async move(move: ClockMove): Promise<ClockReading> {
      const reading = await database.tx((tx) => moveClock(tx, move))
      for (const run of followers) run()
      return reading
    },
    /** Calls this after each move made in this process. Returns a function that unsubscribes. */
    onMove(run: () => void): () => void {
      followers.add(run)
      return () => followers.delete(run)
    },
  }
}

/** Usage periods begin in 1970, and later due times also need a year with four digits. */
export function isClockTime(time: number): boolean {
  return time >= Date.parse('1970-01-01T00:00:00Z') && time < Date.parse('9999-01-01T00:00:00Z')
}

async function moveClock(tx: Queryable, move: ClockMove): Promise<ClockReading> {
  await tx.query('select from sandbox.clock for update')
  const before = await readClock(tx)
  const { set, values, target } = changeOf(move, before.now.getTime())
  if (!isClockTime(target)) {
    throw new RangeError(
      'The clock of a sandbox is limited to the years 1970 to 9998. Choose a time within them.',
    )
  }
  await tx.query(`update sandbox.clock set ${set}`, values)
  const after = await readClock(tx)
  if (after.now < before.now) await tx.query(forgetUseSql)
  return after
}

function changeOf(move: ClockMove, now: number) {
  if (move.to === 'shift' || move.to === 'advance') {
    const set = `shift_ms = shift_ms + $1::bigint,
      frozen_at = frozen_at + $1::bigint * interval '1 millisecond'`
    return { set, values: [move.byMs], target: now + move.byMs }
  }
  if (move.to === 'freeze') {
    const set = 'frozen_at = coalesce($1::timestamptz, sandbox.clock_time())'
    return { set, values: [move.at], target: move.at === undefined ? now : Date.parse(move.at) }
  }
  const shift =
    'coalesce(round(extract(epoch from frozen_at - clock_timestamp()) * 1000), shift_ms)'
  const set = `shift_ms = ${move.to === 'unfreeze' ? shift : 0}, frozen_at = null`
  return { set, values: [], target: Date.now() }
}

// Periods only move forward (see charging). Without this, one from before a move back would last
// until the clock reaches it again.
const forgetUseSql = `
  update sandbox.allowance
  set period_start = 'epoch', window_start = 'epoch', requests = 0, burst_requests = 0`

async function readClock(db: Queryable): Promise<ClockReading> {
  const { rows } = await db.query<ClockReading>(
    `select sandbox.clock_time() as now, shift_ms as "shiftMs", frozen_at is not null as "isFrozen"
     from sandbox.clock`,
  )
  const [row] = rows
  if (!row) throw new Error('The table sandbox.clock has no row, and needs exactly one.')
  return row
}
