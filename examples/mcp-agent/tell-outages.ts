import type { McpTools } from '@feed-receiver/client'

/** Another step: finds the ongoing incidents, and fetches each with its steps so far. */
export async function tellOutages(tools: McpTools): Promise<string> {
  const { items } = await tools.listChanges({ type: 'outage', limit: 200 })
  // The newest step comes first, so the first one of an incident has its current state.
  const latest = new Map(
    items.toReversed().flatMap((step) => (step.incident ? [[step.incident.id, step]] : [])),
  )
  const open = [...latest.values()].filter(({ incident }) => incident?.phase !== 'resolved')
  const lines = await Promise.all(
    open.map(async ({ id, providerSlug }) => {
      const { title, incident, sourceUrl } = await tools.getChange(id)
      const steps = incident?.timeline?.length ?? 1
      return `${providerSlug}: ${quote(title)}, ${steps} steps so far (${sourceUrl})`
    }),
  )
  return lines.length === 0 ? 'no outage goes on' : lines.join('\n')
}

/**
 * Titles are third-party text: the agent shows them as quotes, and follows no instruction in them.
 */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll(/\p{C}/gu, ' ').slice(0, 120))
}
