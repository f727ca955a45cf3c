export const sourcePrecisions = ['timestamp', 'date'] as const

/** A time that a source gave, no more precise than it was given. */
export type SourceTime =
  | { kind: 'timestamp'; at: Date }
  | { kind: 'date'; date: string }
  | { kind: 'unknown'; raw: string }

/**
 * Reads `sourcePublishedAt` or `sourceUpdatedAt` with its precision. A date has no hour and is never
 * shifted into another zone (R26); without a known precision only the text is given. Null means that
 * the source gave no reliable time, which no other time may replace in silence (R24).
 */
export function readSourceTime(
  value: string | null | undefined,
  precision: string | null | undefined,
): SourceTime | null {
  if (value === null || value === undefined) return null
  if (precision === 'timestamp') return { kind: 'timestamp', at: new Date(value) }
  if (precision === 'date') return { kind: 'date', date: value.slice(0, 'YYYY-MM-DD'.length) }
  return { kind: 'unknown', raw: value }
}
