import { z } from 'zod'
import type { PullFacts } from './api-event.ts'
import { benchmark, id, text, time, uri, type Benchmark } from './formats.ts'

/** The event types the service documents (R209). The set is open: others are kept as they come. */
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

/** One event, as a webhook carries it; the same envelope for every type (R66–R72). */
export interface FeedEvent {
  schema_version: '1.0'
  /** Stable: the same event has the same id on every route and in every delivery. */
  id: string
  type: KnownType | (string & {})
  /** When the service first observed the event; not when it was delivered (R69). */
  created_at: string
  data: FeedEventData
  /** What only the pull API knows; there once it has been seen by that way. */
  pull?: PullFacts | undefined
}

export interface FeedEventData {
  provider: string
  category: 'models' | 'outages' | 'benchmarks' | 'other' | (string & {})
  subject: { type: string | null; key: string | null }
  title: string
  summary: string | null
  /** How the source supports the event; independent of `confirmation` (R36). */
  evidence: 'documented' | 'api_listed' | 'official_publication' | (string & {})
  /** An early signal is `unconfirmed`; a value that is not known counts as not confirmed. */
  confirmation: 'confirmed' | 'unconfirmed' | (string & {})
  /** The original evidence; keep it with whatever is made of the event (R19). */
  source_url: string
  /** A time of unknown precision, or null where the source gives no reliable one (R24, R26). */
  source_published_at: string | null
  benchmark?: Benchmark | undefined
}

/** What the receiver takes for an event of schema 1.0 (R70, R76a); unknown members are left alone. */
export const feedEventSchema = z.looseObject({
  schema_version: z.literal('1.0'),
  id,
  type: text,
  created_at: time,
  data: z.looseObject({
    provider: text,
    category: text,
    subject: z.looseObject({ type: text.nullable(), key: text.nullable() }),
    title: text,
    summary: text.nullable(),
    evidence: text,
    confirmation: text,
    source_url: uri,
    source_published_at: time.nullable(),
    benchmark: benchmark.optional(),
  }),
}) satisfies z.ZodType<FeedEvent>
