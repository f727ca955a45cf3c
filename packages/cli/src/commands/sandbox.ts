import { once } from 'node:events'
import type { Control, MadeAttempt } from '@feed-receiver/sandbox'
import { defineCommand, type Context } from '../command.ts'
import { findSecret } from '../dev/own-secret.ts'
import { printAttempt } from '../dev/lines.ts'
import { describeFailure } from '../dev/messages.ts'
import { runFeed } from '../dev/run-feed.ts'
import { installShippedTemplates } from '../dev/shipped-files.ts'
import { flag, oneOf, parsed, text } from '../options/option.ts'
import { secretName } from '../options/secret-options.ts'
import { parseInterval, parsePort, parseUrl } from '../options/values.ts'

export const sandbox = defineCommand({
  options: {
    port: parsed('--port <number>', 'port to listen on; 0 uses a free one (4010)', parsePort),
    database: text('--database <url|folder>', 'PostgreSQL URL or folder (.feed-receiver/sandbox)'),
    seed: text('--seed <text>', 'seed of the history: the same seed gives the same events (feed)'),
    tick: parsed('--tick <time>', 'publish an event at this interval, such as 10s', parseInterval),
    forward: parsed('--forward <url>', 'URL of your app, which receives the feed', parseUrl),
    firstCursor: oneOf(
      '--first-cursor <tail|replay>',
      'nextCursor of a first page: tail for new events, replay for all history (tail)',
      ['tail', 'replay'],
    ),
    inPlace: flag('--in-place', 'leave corrected and retracted events at their position'),
    fresh: flag('--fresh', 'delete the data of earlier runs'),
    strict: flag('--strict', 'turn off everything that the service itself would not do'),
    strictDestinations: flag('--strict-destinations', 'deliver only to public https addresses'),
    sendChat: flag('--send-chat', 'post messages to Slack, Discord and Teams'),
  },
  notes: `
    With --forward, the sandbox signs with FEED_SIGNING_SECRET, or makes a secret and prints the
    line for .env. It repeats the test delivery until your app answers 2xx, and then the feed is
    live. Data and API keys stay valid between runs.

    --strict includes --strict-destinations, and turns off the movable clock and fault rules. It
    deletes the fault rules of earlier runs. Messages to chats are still posted only with
    --send-chat.
  `,
  examples: [
    'feed-receiver sandbox --tick 10s',
    'feed-receiver sandbox --forward http://localhost:3000/webhooks/feed',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const { database, tick, inPlace = false, forward, ...rest } = options
    const secret = forward && findSecret(context)

    installShippedTemplates()
    if (signal.aborted) return 130
    const feed = {
      ...rest,
      database,
      option: '--database',
      tickSeconds: tick,
      moveChanged: !inPlace,
      ...(forward && { onAttempt: (made: MadeAttempt) => printAttempt(made, context, toResume) }),
    } as const
    await runFeed(feed, context, async ({ control, controlUrl, url }) => {
      // The same in every run and process, because an earlier one may be in use.
      const { key: apiKey } = await control.createKeyOnce({
        accountId: 'acct_sandbox',
        name: 'feed-receiver sandbox',
      })
      const urls = { url, controlUrl, developersUrl: `${url}/developers`, apiKey }
      // This output shows the API key and the session, on purpose.
      out.reveal({ line: announceService(urls), json: { type: 'started', ...urls } })
      if (forward) await forwardFeed(control, { url: forward, secret }, context)
      if (!signal.aborted) await once(signal, 'abort')
    })
    out.json({ type: 'stopped' })
    return 0
  },
})

const toResume = 'To resume, send a test delivery on the control page.'

function announceService(urls: Record<'url' | 'controlUrl' | 'developersUrl' | 'apiKey', string>) {
  return `The feed service runs on this machine. Ctrl-C stops it.

  Address       ${urls.url}
  Developers    ${urls.developersUrl}
  Control page  ${urls.controlUrl}
  API key       ${urls.apiKey}

A client takes the address as baseUrl. The key is the same in each run, until you revoke it on
the control page or run with --fresh.`
}

/** Delivers the feed to an app: waits until it accepts the test delivery, and reports progress. */
async function forwardFeed(
  control: Control,
  { url, secret }: { url: URL; secret: string | undefined },
  { out, signal }: Context,
): Promise<void> {
  try {
    const { destination, tests, status } = await control.forwardTo({
      url: url.href,
      secret,
      signal,
      onCreated({ secret: made }) {
        if (secret !== undefined || made === null) return
        out.reveal({
          line: `\nAdd this line to the .env of your app, and restart it:\n\n  ${secretName}=${made}\n`,
          json: { type: 'secret', name: secretName, secret: made },
        })
      },
      onWaiting(result) {
        const { status: answered, errorCode, cause } = result
        const failure = describeFailure(result, url.href)
        out.result(
          { type: 'waiting', status: answered, cause, errorCode },
          `${failure} Repeating the test until it answers 2xx.`,
        )
      },
    })
    const { id, address } = destination
    out.result(
      { type: 'live', destinationId: id, address, tests },
      status === null
        ? `Messages for ${address} are only shown on the control page. To post them, add --send-chat.`
        : `${address} answered the test with ${status}. The feed is live.`,
    )
  } catch (error) {
    // An aborted wait is not a failure.
    if (!signal.aborted) throw error
  }
}
