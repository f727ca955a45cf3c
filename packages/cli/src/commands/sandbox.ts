import { once } from 'node:events'
import { CliError } from '../errors.ts'
import { defineCommand } from '../command.ts'
import { isDatabaseUrl } from '../open-inbox.ts'
import { parseInterval } from '../parse-interval.ts'
import { parsePort } from '../parse-port.ts'
import { readUrl } from '../read-url.ts'
import { announce } from '../sandbox/announce.ts'
import { findSecret } from '../sandbox/find-secret.ts'
import { forwardFeed } from '../sandbox/forward-feed.ts'

/** The whole feed service, until Ctrl-C. */
export const sandbox = defineCommand({
  options: {
    port: { type: 'string', value: 'number', help: 'where to listen; 0 takes a free one (4010)' },
    database: {
      type: 'string',
      value: 'url|folder',
      help: 'PostgreSQL URL or embedded folder (.feed-receiver/sandbox)',
    },
    seed: { type: 'string', value: 'text', help: 'the same seed, the same events (feed)' },
    tick: { type: 'string', value: 'time', help: 'publish an event that often, such as 10s or 5m' },
    forward: { type: 'string', value: 'url', help: 'deliver the feed to this address of your app' },
    fresh: { type: 'boolean', help: 'forget everything that earlier runs left' },
    strict: { type: 'boolean', help: 'turn off everything that the service itself would not do' },
    'strict-destinations': {
      type: 'boolean',
      help: 'deliver only to public https addresses that can be reached',
    },
    'send-chat': { type: 'boolean', help: 'post messages to Slack, Discord and Teams' },
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
    const { seed, database, fresh = false, strict = false } = options
    const port = options.port === undefined ? undefined : parsePort(options.port)
    const tickSeconds =
      options.tick === undefined ? undefined : parseInterval('--tick', options.tick)
    const forward =
      options.forward === undefined ? undefined : readUrl(options.forward, '--forward')
    const secret = forward && findSecret(context)

    // Here and not above, so that no other verb loads a server that it does not start.
    const { createSandbox, Refusal, SandboxError } = await import('@feed-receiver/sandbox')
    try {
      await using service = createSandbox({
        database: database === undefined ? undefined : readTarget(database),
        port,
        seed,
        tickSeconds,
        fresh,
        strict,
        strictDestinations: options['strict-destinations'],
        sendChat: options['send-chat'],
        onError: (error) => out.note(`warning: ${messageOf(error)}`),
      })
      if (database !== undefined) out.hide(database)
      const stopped = once(signal, 'abort')
      if (signal.aborted) return 130
      await service.start()
      // Those of earlier runs and of other processes stay: somebody may have put them to use.
      const { key } = await service.control.createKey({
        accountId: 'acct_sandbox',
        name: 'feed-receiver sandbox',
      })
      announce(service, key, context)
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

function readTarget(text: string): string | { folder: string } {
  return isDatabaseUrl(text) ? text : { folder: text }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
