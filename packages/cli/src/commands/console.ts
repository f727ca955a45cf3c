import { isError } from '@feed-receiver/core'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { ConsoleOptions } from '@feed-receiver/console'
import { toNodeHandler } from '@feed-receiver/core/node'
import type { Inbox } from '@feed-receiver/inbox'
import { defineCommand } from '../command.ts'
import type { Context } from '../command.ts'
import { CliError, UsageError } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, parsed, text } from '../options/option.ts'
import { readVariable } from '../options/secret-options.ts'
import { parsePort } from '../options/values.ts'
import { createAlertReader } from '../read-alerts.ts'
import { reproduceEvent } from '../reproduce-event.ts'

export const openConsole = defineCommand({
  options: {
    port: parsed('--port <n>', 'port to listen on; 0 uses a free one (4020)', parsePort),
    host: text('--host <name>', 'address to listen on (127.0.0.1)'),
    write: flag('--write', 'allow actions such as retry, reprocess, pause and release (read-only)'),
    tokenEnv: text(
      '--token-env <NAME>',
      'environment variable with the login token (a new token for this run)',
    ),
    ...inboxOptions,
  },
  notes: `
    A new token is printed once, as part of the link. A retry queues work for the worker of
    the app; the console itself runs no handler. The page uses plain HTTP. If --host is not
    this machine, put a TLS proxy in front of it.
  `,
  examples: [
    'feed-receiver console --database .feed-receiver/database',
    'feed-receiver console --write --token-env FEED_CONSOLE_TOKEN --port 8080',
  ],
  async run({ options }, context) {
    const { out, signal } = context
    const { port = 4020, host = '127.0.0.1', write = false } = options
    const { tokenEnv } = options
    const given = tokenEnv === undefined ? undefined : readVariable(tokenEnv, context, 'no_token')
    const token = given ?? randomBytes(24).toString('hex')
    const reader = createAlertReader()
    const serve = async (inbox: Inbox) => {
      const reproduce = (eventId: string) => reproduceEvent(inbox, eventId)
      const shown = { inbox, token, readOnly: !write, reproduce, alerts: reader.of(inbox) }
      const server = await serveConsole(shown, { port, host, out })
      const url = given === undefined ? server.url + loginWith(token, context) : server.url
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

/** Serves the console on this machine. Its package is loaded only when it is needed. */
async function serveConsole(
  options: Pick<ConsoleOptions, 'inbox' | 'token' | 'readOnly' | 'reproduce' | 'alerts'>,
  { port, host, out }: { port: number; host: string; out: Context['out'] },
) {
  const { ConsoleError, createConsole } = await import('@feed-receiver/console')
  const server = createServer()
  try {
    const handle = toNodeHandler(createConsole({ ...options, onError: out.warn }))
    server.on('request', (request, response) => {
      handle(request, response).catch((error: unknown) => {
        out.warn(error)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    })
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    if (cause instanceof ConsoleError) throw new UsageError(cause.message, cause)
    const code = isError(cause) && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new CliError(
      'cannot_listen',
      `The console cannot listen on port ${port} of ${host}${code}. Stop the process that uses the port, or choose another with --port and --host.`,
      cause,
    )
  }
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port

  return {
    /** The URL, with a slash at the end. */
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}/`,
    /** Also closes open connections, because a page keeps polling. */
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
