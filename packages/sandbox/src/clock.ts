import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { action, read } from './server/action.ts'
import { badParameter } from './server/rejections.ts'
import { dateTime, isClockTime } from './state/fields.ts'

// The clock is stored in the database: it survives a restart and is the same for every process. SQL
// reads it as `sandbox.clock_time()`.

export interface ClockReading {
  now: Date
  /** How far it is ahead of real time while it runs. */
  shiftMs: number
  isFrozen: boolean
}

export const readClock = read("Reads the sandbox's own time.", ({ database }) =>
  selectClock(database),
)

export async function clockTime(db: Queryable): Promise<Date> {
  return (await selectClock(db)).now
}

const byMs = z.int()

const clockMove = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('shift'), byMs }),
  z.strictObject({ to: z.literal('advance'), byMs: byMs.min(0) }),
  z.strictObject({ to: z.literal('freeze'), at: dateTime.optional() }),
  z.strictObject({ to: z.enum(['unfreeze', 'reset']) }),
])

// It moves whether it runs or stands.
export const moveClock = action(
  "Shifts, advances, freezes, unfreezes or resets the sandbox's own time.",
  clockMove,
  async ({ database, deliverer }, move) => {
    const reading = await database.tx(async (tx) => {
      await tx.query('select from sandbox.clock for update')
      const before = await selectClock(tx)
      const { set, values, target } = changeOf(move, before.now.getTime())
      if (!isClockTime(target)) {
        throw badParameter(
          'The clock of a sandbox is limited to the years 1970 to 9998. Choose a time within them.',
        )
      }
      await tx.query(`update sandbox.clock set ${set}`, values)
      const after = await selectClock(tx)
      if (after.now < before.now) await tx.query(resetUsageSql)
      return after
    })
    deliverer.wake()
    return reading
  },
  { rejectStrict: () => 'The clock of a strict sandbox shows real time and cannot be moved.' },
)

function changeOf(move: z.infer<typeof clockMove>, now: number) {
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
const resetUsageSql = `
  update sandbox.allowance
  set period_start = 'epoch', window_start = 'epoch', requests = 0, burst_requests = 0`

async function selectClock(db: Queryable): Promise<ClockReading> {
  const { rows } = await db.query<ClockReading>(
    `select sandbox.clock_time() as now, shift_ms as "shiftMs", frozen_at is not null as "isFrozen"
     from sandbox.clock`,
  )
  const [row] = rows
  if (!row) throw new Error('The table sandbox.clock has no row, and needs exactly one.')
  return row
}
