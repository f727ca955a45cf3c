import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { defineCommand } from '../command.ts'
import { serveConsole } from '../console/serve-console.ts'
import type { Context } from '../context.ts'
import { problem } from '../errors.ts'
import { inboxOptions, withInbox } from '../options/inbox-options.ts'
import { flag, parsed, text } from '../options/option.ts'
import { parsePort } from '../options/values.ts'

export const openConsole = defineCommand('console', {
  options: {
    port: parsed(parsePort),
    host: text,
    write: flag,
    tokenEnv: text,
    ...inboxOptions,
  },
  async run({ options }, context) {
    const { out, signal } = context
    const { port = 4020, host = '127.0.0.1', write = false } = options
    const given = readToken(options.tokenEnv, context)
    const token = given ?? randomBytes(24).toString('hex')
    return await withInbox(options, context, async (inbox) => {
      const server = await serveConsole({ inbox, token, readOnly: !write }, { port, host, out })
      const url = given === undefined ? server.url + loginWith(token, context) : server.url
      out.note(write ? 'People may act.' : 'This console only shows; --write lets people act.')
      out.result({ url, readOnly: !write }, url)
      if (!signal.aborted) await once(signal, 'abort')
      await server.close()
      return 0
    })
  },
})

function readToken(variable: string | undefined, { env, out }: Context): string | undefined {
  if (variable === undefined) return undefined
  const token = env[variable] ?? ''
  if (token === '') throw problem('no_token', 'variable', { name: variable })
  out.hide(token)
  return token
}

/** What a browser keeps to itself, with the name that is kept with each action. */
function loginWith(token: string, { env }: Context): string {
  return `#${new URLSearchParams({ token, name: env['USER'] ?? 'somebody' }).toString()}`
}
