import { inbox } from '../../feed.ts'

export const dynamic = 'force-dynamic'

/** How many deliveries of either kind the inbox has. */
export function GET(): Response {
  return Response.json(inbox.entries.size + inbox.quarantined.length)
}
