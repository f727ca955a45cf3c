import { once } from 'node:events'
import type { Inbox } from '@feed-receiver/inbox'
import { defineCommand, type Context } from '../command.ts'
import { isNamed, UsageError } from '../errors.ts'
import { makeConsole } from '../make-console.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, parsed, text } from '../options/option.ts'
import { readToken } from '../options/secret-options.ts'
import { parsePort } from '../options/values.ts'
import { createAlertReader } from '../read-alerts.ts'
import { startServer } from '../start-server.ts'

export const openConsole = defineCommand({
  options: {
    port: parsed('--port <n>', 'port to listen on; 0 uses a free one (4020)', parsePort),
    host: text('--host <name>', 'address to listen on (127.0.0.1)'),
    write: flag('--write', 'allow actions such as retry, reprocess, pause and release (read-only)'),
    tokenEnv: text(
      '--token-env <NAME>',
      'variable with the login token (a new token for this run)',
    ),
    ...inboxOptions,
  },
  notes: `
    A new token is printed once, as part of the link. A retry queues work for the worker of the app;
    the console itself runs no handler. The page uses plain HTTP. If --host is not this machine, put
    a TLS proxy in front of it.
  `,
  examples: [
    'feed-receiver console --database .feed-receiver/database',
    'feed-receiver console --write --token-env FEED_CONSOLE_TOKEN --port 8080',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const { port = 4020, host = '127.0.0.1', write = false } = options
    const { token, isNew } = readToken(options.tokenEnv, context)
    const reader = createAlertReader()
    const serve = async (inbox: Inbox) => {
      const settings = { token, readOnly: !write, onError: out.warn }
      const shown = await makeConsole(inbox, reader, settings).catch(rejectSettings)
      const server = await startServer(shown, {
        port,
        host,
        onError: out.warn,
        named: { what: 'The console', options: '--port and --host' },
      })
      const url = isNew ? server.url + loginWith(token, context) : server.url
      out.note(
        write ? 'Actions are allowed.' : 'This console is read-only; --write allows actions.',
      )
      out.result({ url, readOnly: !write }, url)
      if (!signal.aborted) await once(signal, 'abort')
      await server.close()
      return 0
    }
    return await withInbox(options, context, serve, [reader.extension])
  },
})

/** The fragment that logs in. Browsers do not send it; the name is recorded with each action. */
function loginWith(token: string, { env }: Context): string {
  return `#${new URLSearchParams({ token, name: env['USER'] ?? 'somebody' }).toString()}`
}

function rejectSettings(error: unknown): never {
  throw isNamed(error, 'ConsoleError') ? new UsageError(error.message, error) : error
}
