import type { PullFacts } from './pull-facts.ts'

/** The event types that the service documents. The set is open: others are accepted, too. */
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

/** One event, as a webhook carries it; every type has the same envelope. */
export interface FeedEvent {
  schema_version: '1.0'
  /** Stable: an event has the same id on every route and in every delivery. */
  id: string
  type: KnownType | (string & {})
  /** When the service first observed the event; not when it was delivered. */
  created_at: string
  data: FeedEventData
  /** The members that only the pull API has; present once the pull API returned the event. */
  pull?: PullFacts | undefined
}

export interface FeedEventData {
  provider: string
  category: 'models' | 'outages' | 'benchmarks' | 'other' | (string & {})
  subject: { type: string | null; key: string | null }
  title: string
  summary: string | null
  /** How the source supports the event; independent of `confirmation`. */
  evidence: 'documented' | 'api_listed' | 'official_publication' | (string & {})
  /** An early signal is `unconfirmed`; treat an unknown value as not confirmed. */
  confirmation: 'confirmed' | 'unconfirmed' | (string & {})
  /** The original evidence; store it with everything you derive from the event. */
  source_url: string
  /** A time of unknown precision, or null if the source gives no reliable one. */
  source_published_at: string | null
  benchmark?: Benchmark | undefined
}

/** The evidence of a benchmark; the service does not document its members. */
export interface Benchmark {
  current?: Record<string, unknown> | null | undefined
  previous?: Record<string, unknown> | null | undefined
}
