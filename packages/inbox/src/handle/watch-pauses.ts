import type { InboxContext } from '../context.ts'

/** The current pauses, and when this process began to read them. */
export interface Paused {
  isWhole: boolean
  types: string[]
  lookedAt: number
}

/** The pauses of an inbox, as one process knows them. */
export type Pauses = ReturnType<typeof watchPauses>

// Together with an in-flight claim, a pause then takes effect within a second without any
// notification.
const recentMs = 500
/** A claim answered this long after the pauses were read may have followed a pause. */
const surelyMs = 1_000

/**
 * Creates a cache of the pauses, which reads them again after half a second. Most claims then need
 * no statement, and a process that was frozen reads them before it claims.
 */
export function watchPauses({ tables, source, queue }: InboxContext) {
  let known: Paused = { isWhole: false, types: [], lookedAt: -Infinity }
  let newsAt = -Infinity

  return {
    /** The pauses, at most half a second old. */
    async recent(): Promise<Paused> {
      const isRecent = known.lookedAt > newsAt && isWithin(known, recentMs)
      return isRecent ? known : await look()
    },
    /** The pauses at the answer of a claim that began with `before`. */
    async atAnswer(before: Paused): Promise<Paused> {
      return isWithin(before, surelyMs) ? before : await look()
    },
    /** Makes the next claim read the pauses again. */
    expire() {
      newsAt = performance.now()
    },
  }

  async function look(): Promise<Paused> {
    const lookedAt = performance.now()
    const rows = await queue.query<{ type: string }>(
      `select type from ${tables.pause} where source = $1`,
      [source],
    )
    const types = rows.map(({ type }) => type).filter((type) => type !== '')
    const seen = { isWhole: types.length < rows.length, types, lookedAt }
    if (lookedAt > known.lookedAt) known = seen
    return seen
  }
}

function isWithin({ lookedAt }: Paused, ms: number): boolean {
  return performance.now() - lookedAt < ms
}
