import { inbox } from '../../feed.ts'

export const dynamic = 'force-dynamic'

/** The number of stored and quarantined deliveries. */
export function GET(): Response {
  return Response.json(inbox.entries.size + inbox.quarantined.length)
}
