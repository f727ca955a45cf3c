import type { InboxContext } from '../context.ts'

/** The current pauses, and when this process began to read them. */
export interface Paused {
  isWhole: boolean
  types: string[]
  readAt: number
}

/**
 * The pauses, which are read again after half a second. Most claims then need no statement, and a
 * process that was frozen reads them before it claims.
 */
export interface PauseCache {
  /** The pauses, at most half a second old. */
  recent(): Promise<Paused>
  /** The pauses at the answer of a claim that began with `before`. */
  atAnswer(before: Paused): Promise<Paused>
  /** Makes the next claim read the pauses again. */
  expire(): void
}

/** With a claim in progress, a pause then takes effect within a second without a notification. */
const recentMs = 500
/** A claim answered this long after the pauses were read may have followed a pause. */
const surelyMs = 750

export function createPauseCache({ tables, source, queue }: InboxContext): PauseCache {
  let known: Paused = { isWhole: false, types: [], readAt: -Infinity }
  let expiredAt = -Infinity

  return {
    async recent() {
      const isRecent = known.readAt > expiredAt && isWithin(known, recentMs)
      return isRecent ? known : await read()
    },
    async atAnswer(before) {
      return isWithin(before, surelyMs) ? before : await read()
    },
    expire() {
      expiredAt = performance.now()
    },
  }

  async function read(): Promise<Paused> {
    const readAt = performance.now()
    const rows = await queue.query<{ type: string }>(
      `select type from ${tables.pause} where source = $1`,
      [source],
    )
    const types = rows.map(({ type }) => type).filter((type) => type !== '')
    const paused = { isWhole: types.length < rows.length, types, readAt }
    if (readAt > known.readAt) known = paused
    return paused
  }
}

function isWithin({ readAt }: Paused, ms: number): boolean {
  return performance.now() - readAt < ms
}
