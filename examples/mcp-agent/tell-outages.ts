import type { McpTools } from '@feed-receiver/client'

/** Another step: finds the incidents that go on, and gets each once with what has happened so far. */
export async function tellOutages(tools: McpTools): Promise<string> {
  const { items } = await tools.listChanges({ type: 'outage', limit: 200 })
  // The newest step comes first, so the first of an incident says how it stands.
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

/** Titles are third-party text: they are shown as such, and nothing in them is done. */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll(/\p{C}/gu, ' ').slice(0, 120))
}
