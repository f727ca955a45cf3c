import { once } from 'node:events'
import { defineCommand } from '../command.ts'
import { CliError } from '../errors.ts'
import { isDatabaseUrl } from '../options/inbox-options.ts'
import { flag, oneOf, parsed, text } from '../options/option.ts'
import { parseInterval, parsePort, parseUrl } from '../options/values.ts'
import { findSecret, forwardFeed } from '../sandbox/forward-feed.ts'

export const sandbox = defineCommand('sandbox', {
  options: {
    port: parsed(parsePort),
    database: text,
    seed: text,
    tick: parsed(parseInterval),
    forward: parsed(parseUrl),
    firstCursor: oneOf(['tail', 'replay']),
    inPlace: flag,
    fresh: flag,
    strict: flag,
    strictDestinations: flag,
    sendChat: flag,
  },
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
      if (error instanceof Refusal) throw new CliError('refused', error.message, error)
      if (!(error instanceof SandboxError)) throw error
      const code = error.code === 'port_taken' ? 'port_taken' : 'usage'
      const next = code === 'port_taken' ? ' For a free one: --port 0.' : ''
      throw new CliError(code, `${error.message}${next}`, error)
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
