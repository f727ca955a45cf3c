import { createConsole } from '@feed-receiver/console'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox({ database: process.env.DATABASE_URL })
const feedConsole = createConsole({ inbox, token: 'next-console-0123456789', title: 'In Next' })

// Started by the first request, because the build imports this as well.
async function handle(request: Request): Promise<Response> {
  await inbox.start()
  return await feedConsole(request)
}

export { handle as GET, handle as POST }
