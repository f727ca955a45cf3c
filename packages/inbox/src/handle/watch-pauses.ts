import type { Place } from '../queue/queue.ts'

/** What is paused, and when this process began to look. */
export interface Paused {
  isWhole: boolean
  types: string[]
  lookedAt: number
}

/** What one process knows of the pauses of its inbox. */
export type Pauses = ReturnType<typeof watchPauses>

// Together with a claim that is under way, a pause holds within a second without any notification.
const recentMs = 500
/** A claim that was answered so long after the look may have come after a pause. */
const surelyMs = 1_000

/**
 * Makes what knows the pauses, and looks again where half a second has passed: most claims cost no
 * statement, and a process that was frozen looks before it claims.
 */
export function watchPauses({ tables, source, queue }: Place) {
  let known: Paused = { isWhole: false, types: [], lookedAt: -Infinity }
  let newsAt = -Infinity

  return {
    /** What is paused, as of half a second ago at most. */
    async recent(): Promise<Paused> {
      const isRecent = known.lookedAt > newsAt && isWithin(known, recentMs)
      return isRecent ? known : await look()
    },
    /** What was paused when a claim was answered that began with `before`. */
    async atAnswer(before: Paused): Promise<Paused> {
      return isWithin(before, surelyMs) ? before : await look()
    },
    /** The next claim looks again. */
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
