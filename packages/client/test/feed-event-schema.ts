import type { KnownType } from '@feed-receiver/core'
import { z } from 'zod'
import { benchmark, id, object, openText, text, time, uri } from '../src/api/formats.ts'

/** The schema of a webhook's event, written down again to compare the parser with it. */
export const feedEventSchema = object({
  schema_version: z.literal('1.0'),
  /** Stable: an event has the same id on every route and in every delivery. */
  id,
  type: openText<KnownType>(),
  /** When the service first observed the event; not when it was delivered. */
  created_at: time,
  data: object({
    provider: text,
    category: openText<'models' | 'outages' | 'benchmarks' | 'other'>(),
    subject: object({ type: text.nullable(), key: text.nullable() }),
    title: text,
    summary: text.nullable(),
    /** How the source supports the event; independent of `confirmation`. */
    evidence: openText<'documented' | 'api_listed' | 'official_publication'>(),
    /** An early signal is `unconfirmed`; treat an unknown value as not confirmed. */
    confirmation: openText<'confirmed' | 'unconfirmed'>(),
    /** The original evidence; store it with everything you derive from the event. */
    source_url: uri,
    /** A time of unknown precision, or null if the source gives no reliable one. */
    source_published_at: time.nullable(),
    benchmark: benchmark.optional(),
  }),
})
