import { headOf } from '../seal/day.ts'
import type { WalkedDay } from '../seal/walk-day.ts'
import type { SealedDay } from './read-sealed.ts'

/** One day of a statement, in UTC. */
export interface AuditDay {
  day: string
  /** How many entries were sealed; null if the day is not sealed. */
  sealed: number | null
  sealedAt: string | null
  /** How many of its entries the database has now. */
  found: number
  /** Entries among them whose time is on an earlier day, which was already sealed. */
  late: number
  /** How many entries retention has deleted, and when it last did. */
  removed: number
  removedAt: string | null
  /** The head of the chain after this day, in hex: as sealed, or as computed for an open day. */
  head: string
  /**
   * `rows`: its entries are not those that were sealed. `seal`: its head does not follow from that
   * of the day before. `missing`: its seal was deleted.
   */
  fault: 'rows' | 'seal' | 'missing' | null
}

/**
 * Compares the entries of a day with its seal. `previous` is the head of the day before; null if
 * its seal is missing.
 */
export function judgeDay(
  day: string,
  walked: WalkedDay,
  row: SealedDay | undefined,
  previous: string | null,
  mustBeSealed: boolean,
): AuditDay {
  const { count: found, late, digest } = walked
  const judged = { day, found, late }
  if (!row) {
    return {
      ...judged,
      sealed: null,
      sealedAt: null,
      removed: 0,
      removedAt: null,
      head: headOf(previous ?? '', day, found, digest),
      fault: mustBeSealed ? 'missing' : null,
    }
  }
  const { removed } = row.removed
  const isChained = previous === null || headOf(previous, day, row.count, row.digest) === row.head
  // Without the deleted entries, the hash over all of them cannot be computed again.
  const isWhole = found + removed === row.count && (removed > 0 || digest === row.digest)
  return {
    ...judged,
    sealed: row.count,
    sealedAt: row.sealedAt,
    removed,
    removedAt: row.removedAt,
    head: row.head,
    fault: !isWhole ? 'rows' : isChained ? null : 'seal',
  }
}
