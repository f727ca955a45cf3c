import type { Database } from '@feed-receiver/database'
import { storable } from './tables.ts'

/** A fact from the MCP tool `get_deprecations`. */
interface Deprecation {
  id: string
  provider: string
  modelId: string
  fact: string
  announcedAt: string
  effectiveAt?: string | null | undefined
  replacementIds?: string[] | null | undefined
  sourceUrl: string
}

/** `await client.mcp()` of `@feed-receiver/client`. */
interface Tools {
  deprecations(options: { limit: number }): AsyncIterable<Deprecation>
}

/**
 * Adds what only the MCP endpoint of the service has: the date and the replacements of a
 * deprecation, and deprecations from before your app received the feed. Safe to repeat. Leaves out
 * a date that is none, and a deprecation without a date of its announcement.
 */
export async function syncDeprecations(database: Database, tools: Tools): Promise<void> {
  for await (const one of tools.deprecations({ limit: 200 })) await save(database, one)
}

async function save(database: Database, deprecation: Deprecation): Promise<void> {
  const { id, provider, modelId, fact, replacementIds, sourceUrl } = deprecation
  const announcedAt = toTime(deprecation.announcedAt)
  if (announcedAt === null) return
  const effectiveAt = toTime(deprecation.effectiveAt)
  await database.query(
    `insert into model_watch.fact
     values ($1, $2, $3, $4, $5, $6, $7, $8, true, false)
     on conflict (event_id) do update
       set effective_at = excluded.effective_at, replacements = excluded.replacements`,
    [id, provider, modelId, fact, announcedAt, effectiveAt, replacementIds ?? [], sourceUrl].map(
      storable,
    ),
  )
}

/** A date or time in a form that PostgreSQL reads; null if it is none, such as `early 2027`. */
function toTime(text: string | null | undefined): string | null {
  const [day] = /^[1-9]\d{3}-\d\d-\d\d(?=T|$)/.exec(text ?? '') ?? []
  const time = new Date(text ?? '')
  if (day === undefined || Number.isNaN(time.getTime())) return null
  // A day that its month does not have would become one of the next month.
  return new Date(day).toISOString().startsWith(day) ? time.toISOString() : null
}
