import { feed } from '../../feed/feed'

export const dynamic = 'force-dynamic'

export async function GET() {
  const { rows } = await feed.database.query('select * from app.outage order by observed_at desc')
  return Response.json(rows)
}
