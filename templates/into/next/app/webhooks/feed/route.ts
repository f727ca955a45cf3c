import { receive, startFeed } from '../../../feed-receiver'

export function POST(request: Request) {
  // Not awaited, because the delivery waits for it up to its deadline.
  startFeed()
  return receive(request)
}
