import { isSameSecret } from '@feed-receiver/core/node'
import { feed } from '../../../feed'
import { handlers } from '../../../handlers'

// For platforms without long-running processes: let the scheduler call this every minute.
export async function GET(request: Request) {
  const secret = process.env.CRON_SECRET
  if (!secret || !isSameSecret(request.headers.get('authorization'), `Bearer ${secret}`)) {
    return Response.json({ error: 'unauthorized' }, { status: 401 })
  }
  return Response.json(await feed.inbox.drain(handlers, { forMs: 20_000 }))
}

/** In seconds: the time for the drain and for the handlers that it waits for. */
export const maxDuration = 60
