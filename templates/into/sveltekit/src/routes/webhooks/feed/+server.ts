import { receive, startFeed } from '../../../lib/server/feed-receiver'
import type { RequestHandler } from './$types'

export const POST: RequestHandler = ({ request }) => {
  // Not awaited, because the delivery waits for it up to its deadline.
  startFeed()
  return receive(request)
}
