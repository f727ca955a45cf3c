import type { z } from 'zod'
import { benchmark, id, object, openText, text, time, uri } from './formats.ts'
import { incidentSchema } from './incident.ts'
import type { sourcePrecisions } from './source-time.ts'

export const confirmationStates = ['confirmed', 'unconfirmed'] as const

const precision = openText<(typeof sourcePrecisions)[number]>()

/**
 * One event as the pull API gives it (R12–R38). An optional member that is absent and one that is
 * null mean the same (R38). Unknown members and values are kept.
 */
export const apiEventSchema = object({
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
  canonicalUrl: uri.nullish(),
  /** How the source supports the event; independent of `confirmationState` (R36). */
  evidenceState: text,
  /** An early signal is `unconfirmed`; a value that is not known counts as not confirmed (R22). */
  confirmationState: openText<(typeof confirmationStates)[number]>(),
  /** When the service first observed the event. */
  firstObservedAt: time,
  /** Null or absent if the source gives no reliable time; read it with `readSourceTime` (R24). */
  sourcePublishedAt: time.nullish(),
  sourceUpdatedAt: time.nullish(),
  /** What `sourcePublishedAt` may be taken for: a `date` is no point in time (R26). */
  sourcePublishedPrecision: precision.nullish(),
  sourceUpdatedPrecision: precision.nullish(),
  detectedVia: text.nullish(),
  /** Set once the event was corrected; the content is the newer one (R29). */
  correctedAt: time.nullish(),
  /** Set once the event was retracted; it stays listed (R30). */
  retractedAt: time.nullish(),
  benchmark: benchmark.nullish(),
  incident: incidentSchema.nullish(),
})

export type ApiEvent = z.infer<typeof apiEventSchema>

/** The members that the envelope of a webhook has a place for. */
type Shared =
  | 'id'
  | 'providerSlug'
  | 'eventType'
  | 'category'
  | 'subjectType'
  | 'subjectKey'
  | 'title'
  | 'summary'
  | 'sourceUrl'
  | 'evidenceState'
  | 'confirmationState'
  | 'firstObservedAt'
  | 'sourcePublishedAt'
  | 'benchmark'

/** What only the pull API knows about an event, as it came, unknown members included. */
export type PullFacts = Omit<ApiEvent, Shared>
