import { feed } from '../../../feed/feed'

export const dynamic = 'force-dynamic'

async function handle(request: Request) {
  return (await feed.feedConsole?.(request)) ?? new Response(null, { status: 404 })
}
export { handle as GET, handle as POST }
