import { hasTimedOut } from '../errors.ts'
import type { InboxContext } from '../queue/queue.ts'

/** The most and the fewest entries per transaction. On a cold disk, more may time out. */
const largest = 1_000
const smallest = 10

interface Slice {
  changed: number
  /** The last entry that was read; null if none is left. */
  end: number | null
  goesOn: boolean
}

/**
 * Runs a statement of `prune-sql` slice by slice, and returns how many entries it changed. Retries
 * a slice that timed out with half as many entries.
 */
export async function inSlices(
  { database, source }: InboxContext,
  text: string,
  days: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let changed = 0
  let size = largest
  for (let behind = 0; ;) {
    if (signal?.aborted) return changed
    const slice = await run([source, days, behind, size]).catch((error: unknown) => {
      if (!hasTimedOut(error) || size <= smallest) throw error
      return null
    })
    if (!slice) {
      size = Math.max(Math.floor(size / 2), smallest)
      continue
    }
    changed += slice.changed
    if (slice.end === null || !slice.goesOn) return changed
    behind = slice.end
    size = Math.min(size * 2, largest)
  }

  async function run(values: unknown[]): Promise<Slice | undefined> {
    const { rows } = await database.tx((tx) => tx.query<Slice>(text, values))
    return rows[0]
  }
}
