import { createReceiver, toFetch } from '@feed-receiver/core'
import { createInbox, type Handlers } from '@feed-receiver/inbox'

interface Env {
  DATABASE_URL: string
  FEED_SIGNING_SECRET: string
}

const handlers: Handlers = {
  '*': ({ id, data }, { tx }) =>
    tx.query('insert into notice (event_id, title) values ($1, $2)', [id, data.title]),
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    await using inbox = await openInbox(env)
    const receiver = createReceiver({ secrets: env.FEED_SIGNING_SECRET, inbox })
    return await toFetch(receiver)(request)
  },
  // For a cron trigger that runs every minute.
  async scheduled(_event: unknown, env: Env): Promise<void> {
    await using inbox = await openInbox(env)
    await inbox.drain(handlers, { forMs: 20_000 })
  },
}

// One per request, because a Worker cannot use a connection that another request opened.
async function openInbox({ DATABASE_URL: database }: Env) {
  const inbox = createInbox({ database })
  await inbox.start()
  return inbox
}
