import { once } from 'node:events'
import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { isDatabaseUrl } from '../options/inbox-options.ts'
import { flag, oneOf, parsed, text } from '../options/option.ts'
import { parseInterval, parsePort, parseUrl } from '../options/values.ts'
import { findSecret, forwardFeed } from '../sandbox/forward-feed.ts'

export const sandbox = defineCommand({
  options: {
    port: parsed('--port <number>', 'where to listen; 0 takes a free one (4010)', parsePort),
    database: text(
      '--database <url|folder>',
      'PostgreSQL URL or embedded folder (.feed-receiver/sandbox)',
    ),
    seed: text('--seed <text>', 'the same seed, the same events (feed)'),
    tick: parsed('--tick <time>', 'publish an event that often, such as 10s or 5m', parseInterval),
    forward: parsed('--forward <url>', 'deliver the feed to this address of your app', parseUrl),
    firstCursor: oneOf(
      '--first-cursor <tail|replay>',
      'where nextCursor of a first page leads: to what comes next, or to all history (tail)',
      ['tail', 'replay'],
    ),
    inPlace: flag(
      '--in-place',
      'leave corrected, retracted and confirmed events at their place in the feed',
    ),
    fresh: flag('--fresh', 'forget everything that earlier runs left'),
    strict: flag('--strict', 'turn off everything that the service itself would not do'),
    strictDestinations: flag(
      '--strict-destinations',
      'deliver only to public https addresses that can be reached',
    ),
    sendChat: flag('--send-chat', 'post messages to Slack, Discord and Teams'),
  },
  notes: [
    'With --forward it signs with FEED_SIGNING_SECRET, or makes a secret and prints the line to put\n' +
      'into .env. It repeats the test delivery until your app answers 2xx, and then the feed is live.\n' +
      'What it keeps, it keeps between runs, beside the API key of each run.',
    '--strict means --strict-destinations, a clock that cannot be moved and no fault rules; those of\n' +
      'earlier runs end with it. Messages to chats are still posted with --send-chat alone.',
  ],
  examples: [
    'feed-receiver sandbox --tick 10s',
    'feed-receiver sandbox --forward http://localhost:3000/webhooks/feed',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const { database, tick, inPlace = false, forward, ...rest } = options
    const secret = forward && findSecret(context)

    // Here and not above, so that no other verb loads a server that it does not start.
    const { createSandbox, Refusal, SandboxError } = await import('@feed-receiver/sandbox')
    try {
      await using service = createSandbox({
        ...rest,
        database:
          database === undefined || isDatabaseUrl(database) ? database : { folder: database },
        tickSeconds: tick,
        moveChanged: !inPlace,
        onError: out.warn,
      })
      if (database !== undefined) out.hide(database)
      const stopped = once(signal, 'abort')
      if (signal.aborted) return 130
      await service.start()
      // Those of earlier runs and of other processes stay: somebody may have put them to use.
      const { key: apiKey } = await service.control.createKey({
        accountId: 'acct_sandbox',
        name: 'feed-receiver sandbox',
      })
      const { url, controlUrl } = service
      const places = { url, controlUrl, developersUrl: `${url}/developers`, apiKey }
      // The API key and the session are shown on purpose, this once.
      out.reveal({ line: announce(places), json: { type: 'started', ...places } })
      if (forward) await forwardFeed(service.control, { url: forward, secret }, context)
      if (!signal.aborted) await stopped
      out.progress('stopping …')
      await service.stop()
      out.json({ type: 'stopped' })
      return 0
    } catch (error) {
      if (error instanceof Refusal) throw new CliError('refused', error.message, { cause: error })
      if (!(error instanceof SandboxError)) throw error
      const code = error.code === 'port_taken' ? 'port_taken' : 'usage'
      const next = code === 'port_taken' ? ' For a free one: --port 0.' : ''
      throw new CliError(code, `${error.message}${next}`, { cause: error })
    }
  },
})

function announce(places: Record<'url' | 'controlUrl' | 'developersUrl' | 'apiKey', string>) {
  return `The feed service runs on this machine. Ctrl-C ends it.

  API           ${places.url}/v1/events
  Developers    ${places.developersUrl}
  Control page  ${places.controlUrl}
  API key       ${places.apiKey}

The key was made for this run, goes on working in later ones, and is not shown again.`
}
