import { feed } from '../../../feed'
import { handlers } from '../../../handlers'

// For a platform where no process stays to work: let its scheduler call this every minute.
export async function GET(request: Request) {
  const secret = process.env.CRON_SECRET
  if (!secret || request.headers.get('authorization') !== `Bearer ${secret}`) {
    return Response.json({ error: 'unauthorized' }, { status: 401 })
  }
  return Response.json(await feed.inbox.drain(handlers, { forMs: 20_000 }))
}

/** In seconds: what a drain may take, and the handlers that it waits for. */
export const maxDuration = 60
