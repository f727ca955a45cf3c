import { runChecks, type CheckReport } from 'feed-receiver/internal'
import { createSender, type FixtureOverrides, fixture } from '@feed-receiver/sender'
import type { Stranger } from './stranger.ts'

/** Delivers one event to an app, signed with the secret in its .env, and returns the status. */
export async function deliverTo(
  stranger: Stranger,
  type: string,
  overrides: FixtureOverrides = {},
): Promise<number | null> {
  await using sender = createSender({ secret: await secretOf(stranger) })
  return (await sender.attempt(fixture(type, overrides), { to: feedOf(stranger) })).status
}

/** Runs all checks of the command `check` with a receiver. */
export async function checkApp(stranger: Stranger): Promise<CheckReport> {
  return await runChecks({ url: feedOf(stranger), secret: await secretOf(stranger) })
}

function feedOf({ port }: Stranger): string {
  return `http://127.0.0.1:${port}/webhooks/feed`
}

async function secretOf({ read }: Stranger): Promise<string> {
  return /^FEED_SIGNING_SECRET=(.+)$/m.exec(await read('.env'))?.[1] ?? ''
}

/** An .env with which an app starts in production: a secret of its own and a chosen database. */
export function forProduction(text: string): string {
  const isNamed = /^DATABASE_URL=/m.test(text)
  const named = isNamed ? text : `${text.trimEnd()}\nDATABASE_URL=file:.feed-receiver/database\n`
  return named.replace('feed_whsec_dev_', 'feed_whsec_local_')
}

/** The status of a path of an app, or 0 without a response. */
export function statusOf({ fetch }: Stranger, path: string): Promise<number> {
  return fetch(path).then(
    ({ status }) => status,
    () => 0,
  )
}
