import { z } from 'zod'
import type { PullFacts } from './api-event.ts'
import { benchmark, id, object, openText, text, time, uri } from './formats.ts'

/** The event types that the service documents (R209). The set is open: others are accepted, too. */
export const knownTypes = [
  'model_release',
  'api_model_listed',
  'model_removed',
  'outage_started',
  'outage_updated',
  'outage_resolved',
  'pricing_update',
  'pricing_changed',
  'benchmark_model_added',
  'benchmark_rank_changed',
  'benchmark_version_changed',
  'api_contract_update',
  'api_endpoint_documented',
  'documentation_update',
  'app_feature_update',
  'desktop_app_update',
  'cli_update',
  'release_note',
  'research_published',
  'official_post_published',
  'destination_test',
] as const

export type KnownType = (typeof knownTypes)[number]

/** The schema of an event of schema version 1.0 (R70, R76a); unknown members are preserved. */
export const feedEventSchema = object({
  schema_version: z.literal('1.0'),
  /** Stable: an event has the same id on every route and in every delivery. */
  id,
  type: openText<KnownType>(),
  /** When the service first observed the event; not when it was delivered (R69). */
  created_at: time,
  data: object({
    provider: text,
    category: openText<'models' | 'outages' | 'benchmarks' | 'other'>(),
    subject: object({ type: text.nullable(), key: text.nullable() }),
    title: text,
    summary: text.nullable(),
    /** How the source supports the event; independent of `confirmation` (R36). */
    evidence: openText<'documented' | 'api_listed' | 'official_publication'>(),
    /** An early signal is `unconfirmed`; treat an unknown value as not confirmed. */
    confirmation: openText<'confirmed' | 'unconfirmed'>(),
    /** The original evidence; store it with everything you derive from the event (R19). */
    source_url: uri,
    /** A time of unknown precision, or null if the source gives no reliable one (R24, R26). */
    source_published_at: time.nullable(),
    benchmark: benchmark.optional(),
  }),
})

/** One event, as a webhook carries it; every type has the same envelope (R66–R72). */
export interface FeedEvent extends z.infer<typeof feedEventSchema> {
  /** The members that only the pull API has; present once the pull API returned the event. */
  pull?: PullFacts | undefined
}

export type FeedEventData = FeedEvent['data']
