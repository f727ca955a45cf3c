import { feed } from '../../feed/feed'

export const dynamic = 'force-dynamic'

export async function GET() {
  const health = await feed.inbox.health()
  return Response.json(health, { status: health.ok ? 200 : 503 })
}
