import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format } from 'oxfmt'
import { renderEvents } from './events.ts'

export const eventsFile = fileURLToPath(new URL('../../events.md', import.meta.url))

/** The event catalogue, in the format of the other guides. */
export async function formatEvents(): Promise<string> {
  const style = new URL('../../../.oxfmtrc.json', import.meta.url)
  const { code } = await format(
    'events.md',
    renderEvents(),
    JSON.parse(readFileSync(style, 'utf8')),
  )
  return code
}
