/** How a version of an event relates to what its handler was given before. */
export type Change = 'new' | 'correction' | 'retraction' | 'confirmation'

/** The known facts about a version of an event. */
export interface Version {
  /** Null if its content was deleted and pull never saw it. */
  contentHash: string | null
  confirmation: string
  /** Whether pull has seen it. A push does not say whether it precedes or follows a correction. */
  isPulled: boolean
  correctedAt: Date | null
  retractedAt: Date | null
}

/**
 * Compares a version from pull with the known one: `stale` if it is older, `same` if its content is
 * equal.
 */
export function compareVersions(
  known: Version,
  seen: Version,
): Exclude<Change, 'new'> | 'same' | 'stale' {
  // A retraction is final, and a time of correction only moves forward.
  if (known.retractedAt && !seen.retractedAt) return 'stale'
  if (isLater(known.correctedAt, seen.correctedAt)) return 'stale'
  if (seen.retractedAt && !known.retractedAt) return 'retraction'
  const isOther = known.contentHash !== null && known.contentHash !== seen.contentHash
  const isCorrected = known.isPulled && isLater(seen.correctedAt, known.correctedAt)
  if (!isOther && !isCorrected) return 'same'
  const isConfirmed = known.confirmation !== 'confirmed' && seen.confirmation === 'confirmed'
  return isConfirmed && !isCorrected ? 'confirmation' : 'correction'
}

function isLater(one: Date | null, other: Date | null): boolean {
  return one !== null && (other === null || one > other)
}
