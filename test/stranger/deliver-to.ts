import { createSender, type FixtureOverrides, fixture } from '@feed-receiver/sender'
import type { Stranger } from './stranger.ts'

/** Delivers one event to somebody's app, signed with the secret in their .env, and gives the status. */
export async function deliverTo(
  { read, port }: Stranger,
  type: string,
  overrides: FixtureOverrides = {},
): Promise<number | null> {
  const secret = /^FEED_SIGNING_SECRET=(.+)$/m.exec(await read('.env'))?.[1] ?? ''
  await using sender = createSender({ secret })
  const to = `http://127.0.0.1:${port}/webhooks/feed`
  return (await sender.attempt(fixture(type, overrides), { to })).status
}

/** The status of a path of somebody's app; 0 where it does not answer. */
export function statusOf({ fetch }: Stranger, path: string): Promise<number> {
  return fetch(path).then(
    ({ status }) => status,
    () => 0,
  )
}
