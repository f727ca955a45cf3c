import type { Control, MadeAttempt } from '@feed-receiver/sandbox'
import { defineCommand, type Context } from '../command.ts'
import { startDevKeys } from '../dev/dev-keys.ts'
import { createFollowing } from '../dev/follow-app.ts'
import { openDevInbox } from '../dev/dev-inbox.ts'
import { openPage } from '../dev/open-page.ts'
import { printAttempt, printRun, type HandlerRun } from '../dev/lines.ts'
import { findOrWriteSecret, noteUnignored } from '../dev/own-secret.ts'
import { runFeed } from '../dev/run-feed.ts'
import { devPage, installShippedTemplates } from '../dev/shipped-files.ts'
import { startApp } from '../dev/start-app.ts'
import { UsageError } from '../errors.ts'
import { inboxOptions } from '../options/inbox-options.ts'
import { flag, parsed, text, type Values } from '../options/option.ts'
import { secretName } from '../options/secret-options.ts'
import { parseInterval, parsePort, parseUrl } from '../options/values.ts'

const options = {
  port: parsed('--port <number>', 'port of service and page; 0 uses a free one (4010)', parsePort),
  tick: parsed('--tick <time>', 'publish an event at this interval, such as 10s', parseInterval),
  feed: text(
    '--feed <url|folder>',
    'PostgreSQL URL or folder of the feed (.feed-receiver/sandbox)',
  ),
  fresh: flag('--fresh', 'delete what earlier runs published and delivered'),
  open: flag('--no-open', 'print the link of the page without opening a browser'),
  ...inboxOptions,
}

interface Given {
  /** The URL of the app; undefined to look for it. */
  url: URL | undefined
  /** The command that starts the app; empty for none. */
  command: string[]
  options: Values<typeof options>
}

export const dev = defineCommand({
  options,
  notes: `
    Without a URL, dev looks for the app on the PORT of ./.env, on ports in package.json, and on
    common ports. Without a FEED_SIGNING_SECRET, it writes a new one to ./.env. A command after --
    starts the app; the app and dev stop together.

    The inbox is that of DATABASE_URL, or of .feed-receiver/database.
  `,
  examples: [
    'feed-receiver dev',
    'feed-receiver dev http://localhost:3000/webhooks/feed',
    'feed-receiver dev -- npm run dev',
    'feed-receiver dev http://localhost:4000/webhooks/feed -- npm run dev',
  ],
  async run({ operands, options: given }, outer) {
    const start = { ...readOperands(operands), options: given }
    const secret = findOrWriteSecret(outer, start.command.length === 0)
    noteUnignored(outer)
    // Aborts with Ctrl-C, or when the app's command exits.
    const ending = new AbortController()
    const context = { ...outer, signal: AbortSignal.any([outer.signal, ending.signal]) }
    return await runBeside(start, secret, context, ending)
  },
})

async function runBeside(
  { url, command, options: given }: Given,
  secret: string,
  context: Context,
  ending: AbortController,
): Promise<number> {
  const { out, ownEnv } = context
  installShippedTemplates()
  // First, so that the app and the service start concurrently.
  await using app =
    command.length > 0 ? await startApp(command, { ...ownEnv, [secretName]: secret }) : undefined
  const code = app?.ended.finally(() => ending.abort())
  const following = createFollowing(context)
  const onRun = (run: HandlerRun) => printRun(run, context)
  await using devInbox = openDevInbox({ options: given, onRun }, context)
  const feed = {
    database: given.feed,
    option: '--feed',
    port: given.port,
    tickSeconds: given.tick,
    fresh: given.fresh,
    page: { folder: devPage, inbox: devInbox.answer },
    onAttempt(made: MadeAttempt) {
      printAttempt(made, context, toResume)
      following.onAttempt(made)
    },
  } as const
  await runFeed(feed, context, async ({ control, controlUrl: page, createOpenUrl, url: base }) => {
    const api = `${base}/v1/events`
    // This output shows the session on purpose.
    out.reveal({ line: announcePage(page, api), json: { type: 'started', page, api } })
    const shown = { control, page, createOpenUrl, devInbox, quit: () => ending.abort(quit) }
    const keys = startDevKeys(shown, context)
    try {
      if (given.open !== false) await openPage(createOpenUrl, context)
      await following.follow({ control, url, secret, onLive: () => publishFirst(control) })
    } finally {
      keys?.release()
      // Whatever ended it first: an app that exits while the service stops changes nothing.
      ending.abort(quit)
    }
  })
  const isOwnEnd = ending.signal.reason !== quit
  return isOwnEnd && code ? await code : 0
}

const toResume =
  'dev repeats a test delivery until your app accepts it, and then the feed resumes. The page can send one too.'

const quit = new Error('Somebody pressed q.')

function announcePage(page: string, api: string): string {
  return `The feed service runs beside your app. Ctrl-C stops it.

  Page  ${page}
  API   ${api}
`
}

/** Reads a URL, if it comes first. The rest is the command of the app. */
function readOperands(operands: string[]): Pick<Given, 'url' | 'command'> {
  const [first = '', ...rest] = operands
  if (/^[\w.-]+:\d+(?:\/|$)/.test(first))
    throw new UsageError(`${first} is no URL, because it has no scheme. Use http://${first}.`)
  if (!/^https?:/i.test(first)) return { url: undefined, command: operands }
  return { url: parseUrl(first, 'The URL of the app'), command: rest }
}

/** Publishes one event if nothing was delivered yet, so that the page shows something. */
async function publishFirst(control: Control): Promise<void> {
  // Failed tests may be the newest ones by far.
  if ((await control.listDeliveries({ kind: 'live', limit: 1 })).length > 0) return
  await control.composeEvent({
    eventType: 'model_release',
    title: 'A first event, to try your app',
  })
}
