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

/** The thread of an outage that an event belongs to. */
export const incidentSchema = object({
  /** The id of the thread; never an event's id. */
  id: text,
  /** The provider's own id, only where the source makes its disclosure safe. */
  sourceIncidentId: text.nullish(),
  rootEventId: text,
  phase,
  /** The position of this event in its thread. Order by it, and tolerate gaps. */
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

/** The members that the webhook envelope has as well. */
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
  /** The original evidence; store it with everything you derive from the event. */
  sourceUrl: uri,
  /** How the source supports the event; independent of `confirmationState`. */
  evidenceState: text,
  /** An early signal is `unconfirmed`; treat an unknown value as not confirmed. */
  confirmationState: openText<(typeof confirmationStates)[number]>(),
  /** When the service first observed the event. */
  firstObservedAt: time,
  /** Null or absent if the source gives no reliable time; do not use another one instead. */
  sourcePublishedAt: time.nullish(),
  benchmark: benchmark.nullish(),
}

/**
 * One event as the pull API returns it. An absent optional member means the same as null.
 * Unknown members and values are preserved.
 */
export const apiEventSchema = object({
  ...shared,
  canonicalUrl: uri.nullish(),
  sourceUpdatedAt: time.nullish(),
  /** Of `sourcePublishedAt`: with `date`, or without a precision, it is no point in time. */
  sourcePublishedPrecision: sourcePrecision.nullish(),
  sourceUpdatedPrecision: sourcePrecision.nullish(),
  detectedVia: text.nullish(),
  /** Set if the event was corrected; the content is the corrected one. */
  correctedAt: time.nullish(),
  /** Set if the event was retracted; it stays listed. */
  retractedAt: time.nullish(),
  incident: incidentSchema.nullish(),
})

export type ApiEvent = z.infer<typeof apiEventSchema>
