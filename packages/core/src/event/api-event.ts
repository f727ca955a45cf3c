import { z } from 'zod'
import { benchmark, id, text, time, uri, type Benchmark } from './formats.ts'
import { incidentSchema, type Incident } from './incident.ts'
import type { sourcePrecisions } from './source-time.ts'

export const confirmationStates = ['confirmed', 'unconfirmed'] as const

/**
 * One event as the pull API gives it (R12–R38). An optional member that is absent and one that is
 * null mean the same (R38).
 */
export interface ApiEvent {
  /** Stable, and the same on every route. */
  id: string
  providerSlug: string
  eventType: string
  category?: string | null | undefined
  subjectType?: string | null | undefined
  subjectKey?: string | null | undefined
  title: string
  summary?: string | null | undefined
  /** The original evidence; keep it with whatever is made of the event (R19). */
  sourceUrl: string
  canonicalUrl?: string | null | undefined
  /** How the source supports the event; independent of `confirmationState` (R36). */
  evidenceState: string
  /** An early signal is `unconfirmed`; a value that is not known counts as not confirmed (R22). */
  confirmationState: (typeof confirmationStates)[number] | (string & {})
  /** When the service first observed the event. */
  firstObservedAt: string
  /** Null or absent where the source gives no reliable time; read it with `readSourceTime` (R24). */
  sourcePublishedAt?: string | null | undefined
  sourceUpdatedAt?: string | null | undefined
  /** What `sourcePublishedAt` may be taken for: a `date` is no point in time (R26). */
  sourcePublishedPrecision?: (typeof sourcePrecisions)[number] | (string & {}) | null | undefined
  sourceUpdatedPrecision?: (typeof sourcePrecisions)[number] | (string & {}) | null | undefined
  detectedVia?: string | null | undefined
  /** Set once the event was corrected; the content is the newer one (R29). */
  correctedAt?: string | null | undefined
  /** Set once the event was retracted; it stays listed (R30). */
  retractedAt?: string | null | undefined
  benchmark?: Benchmark | null | undefined
  incident?: Incident | null | undefined
}

/** What a consumer takes for an event: unknown members and values are kept, never refused. */
export const apiEventSchema = z.looseObject({
  id,
  providerSlug: text,
  eventType: text,
  category: text.nullish(),
  subjectType: text.nullish(),
  subjectKey: text.nullish(),
  title: text,
  summary: text.nullish(),
  sourceUrl: uri,
  canonicalUrl: uri.nullish(),
  evidenceState: text,
  confirmationState: text,
  firstObservedAt: time,
  sourcePublishedAt: time.nullish(),
  sourceUpdatedAt: time.nullish(),
  sourcePublishedPrecision: text.nullish(),
  sourceUpdatedPrecision: text.nullish(),
  detectedVia: text.nullish(),
  correctedAt: time.nullish(),
  retractedAt: time.nullish(),
  benchmark: benchmark.nullish(),
  incident: incidentSchema.nullish(),
}) satisfies z.ZodType<ApiEvent>

/** The members of the API's event that the envelope of a webhook has a place for. */
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

/** What only the pull API knows about an event, as it came; members that nobody knows included. */
export type PullFacts = Omit<ApiEvent, Shared>
