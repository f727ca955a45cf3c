import { z } from 'zod'
import { benchmark, id, object, openText, text, time, uri } from './formats.ts'

export const confirmationStates = ['confirmed', 'unconfirmed'] as const
export const sourcePrecisions = ['timestamp', 'date'] as const

const sourcePrecision = openText<(typeof sourcePrecisions)[number]>()

export const incidentPhases = ['started', 'updated', 'resolved', 'context'] as const

export type IncidentPhase = (typeof incidentPhases)[number] | (string & {})

const phase = openText<(typeof incidentPhases)[number]>()
const count = z.int().min(1)
const step = {
  id: text,
  title: text,
  summary: text.nullable(),
  sourceUrl: uri,
  firstObservedAt: time,
}

export const timelineItemSchema = object({
  ...step,
  eventType: text,
  phase,
  sequence: count,
  sourcePublishedAt: time.nullish(),
  status: text.nullish(),
})

export type TimelineItem = z.infer<typeof timelineItemSchema>

const incidentRoot = object(step)

export type IncidentRoot = z.infer<typeof incidentRoot>

/** The thread of an outage that an event belongs to (R39–R50). */
export const incidentSchema = object({
  /** Of the thread; never an event's id. */
  id: text,
  /** The provider's own id, only where the source makes its disclosure safe. */
  sourceIncidentId: text.nullish(),
  rootEventId: text,
  phase,
  /** The place of this event in its thread: what to order by, with gaps tolerated (R43). */
  sequence: count,
  receiptCount: count,
  status: text,
  startedAt: time.nullable(),
  updatedAt: time.nullable(),
  resolvedAt: time.nullable(),
  root: incidentRoot,
  /** On detailed reads only: the newest 100 steps. */
  timeline: z.array(timelineItemSchema).nullish(),
  timelineTruncated: z.boolean().nullish(),
})

export type Incident = z.infer<typeof incidentSchema>

/** The members that the envelope of a webhook has a place for. */
const shared = {
  /** Stable, and the same on every route. */
  id,
  providerSlug: text,
  eventType: text,
  category: text.nullish(),
  subjectType: text.nullish(),
  subjectKey: text.nullish(),
  title: text,
  summary: text.nullish(),
  /** The original evidence; keep it with whatever is made of the event (R19). */
  sourceUrl: uri,
  /** How the source supports the event; independent of `confirmationState` (R36). */
  evidenceState: text,
  /** An early signal is `unconfirmed`; a value that is not known counts as not confirmed (R22). */
  confirmationState: openText<(typeof confirmationStates)[number]>(),
  /** When the service first observed the event. */
  firstObservedAt: time,
  /** Null or absent if the source gives no reliable time; read it with `readSourceTime` (R24). */
  sourcePublishedAt: time.nullish(),
  benchmark: benchmark.nullish(),
}

/**
 * One event as the pull API gives it (R12–R38). An optional member that is absent and one that is
 * null mean the same (R38). Unknown members and values are kept.
 */
export const apiEventSchema = object({
  ...shared,
  canonicalUrl: uri.nullish(),
  sourceUpdatedAt: time.nullish(),
  /** What `sourcePublishedAt` may be taken for: a `date` is no point in time (R26). */
  sourcePublishedPrecision: sourcePrecision.nullish(),
  sourceUpdatedPrecision: sourcePrecision.nullish(),
  detectedVia: text.nullish(),
  /** Set once the event was corrected; the content is the newer one (R29). */
  correctedAt: time.nullish(),
  /** Set once the event was retracted; it stays listed (R30). */
  retractedAt: time.nullish(),
  incident: incidentSchema.nullish(),
})

export type ApiEvent = z.infer<typeof apiEventSchema>

/** What only the pull API knows about an event, as it came, unknown members included. */
export type PullFacts = Omit<ApiEvent, keyof typeof shared>

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
