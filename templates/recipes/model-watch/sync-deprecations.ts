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

interface Page {
  items: Deprecation[]
  cursor: string | null
  hasMore: boolean
}

/** `await client.mcp()` of `@feed-receiver/client`. */
interface Tools {
  getDeprecations(options: { limit: number; cursor: string | null }): Promise<Page>
}

/**
 * Adds what only the MCP endpoint of the service has: the date and the replacements of a
 * deprecation, and deprecations from before your app received the feed. Safe to repeat.
 */
export async function syncDeprecations(database: Database, tools: Tools): Promise<void> {
  let page: Page = { items: [], cursor: null, hasMore: true }
  while (page.hasMore) {
    page = await tools.getDeprecations({ limit: 200, cursor: page.cursor })
    for (const one of page.items) await save(database, one)
  }
}

async function save(database: Database, deprecation: Deprecation): Promise<void> {
  const { id, provider, modelId, fact, announcedAt, sourceUrl } = deprecation
  const { effectiveAt = null, replacementIds } = deprecation
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
