/** What a version of an event is to its handler. */
export type Change = 'new' | 'correction' | 'retraction' | 'confirmation'

/** What is known about a version of an event. */
export interface Version {
  /** Null where its content is not kept any more, and was never seen by pull. */
  contentHash: string | null
  confirmation: string
  /** Whether pull has seen it; a push does not say whether it came before or after a correction. */
  isPulled: boolean
  correctedAt: Date | null
  retractedAt: Date | null
}

/**
 * Says what a version that pull has seen is to the one that is known: `stale` where it is older,
 * `same` where its content is.
 */
export function judgeChange(
  known: Version,
  seen: Version,
): Exclude<Change, 'new'> | 'same' | 'stale' {
  // A retraction is final, and a time of correction only moves on.
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
