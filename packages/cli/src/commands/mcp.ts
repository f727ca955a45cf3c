import { once } from 'node:events'
import type { McpServer } from '@modelcontextprotocol/server'
import { defineCommand, type Context } from '../command.ts'
import { inboxOptions } from '../options/inbox-options.ts'
import { flag, parsed, text, type TypedOption } from '../options/option.ts'
import { readToken } from '../options/secret-options.ts'
import { parsePort } from '../options/values.ts'

const httpOption: TypedOption<number | true | undefined> = parsed(
  '--http [port]',
  'listen on a port of this machine instead of stdin; 0 uses a free one (4030)',
  parsePort,
)

export const mcp = defineCommand({
  options: {
    http: httpOption,
    tokenEnv: text('--token-env <NAME>', 'with --http: variable with the token (a new token)'),
    write: flag('--write', 'add tools that retry, reprocess, pause, resume, release and discard'),
    remote: flag('--remote', 'allow test deliveries to other machines'),
    sandbox: text(
      '--sandbox <link>',
      'link that dev or sandbox prints; adds its tools (FEED_SANDBOX_LINK)',
    ),
    config: flag('--config', 'print the configuration for Claude Code, Cursor and VS Code'),
    by: text('--by <name>', 'your name, recorded with the time'),
    ...inboxOptions,
  },
  notes: `
    The command exits when its input ends or, with --http, at Ctrl-C. Without --write no tool
    changes the inbox. Answers mark third-party text as untrusted data.
  `,
  examples: ['feed-receiver mcp --config', 'feed-receiver mcp --http --write --by ada'],
  async run({ options }, context) {
    const { out, env, signal, verbs } = context
    if (options.config) return printConfig(out)
    const { http, tokenEnv, write = false, remote = false, by = 'mcp' } = options
    const { database = env['DATABASE_URL'], shard, source, schema } = options
    const { serveHttp, toolServers } = await import('../mcp/tool-server.ts')
    const { readSandboxLink } = await import('../dev/running-feed.ts')
    // An empty variable counts as missing.
    const link = options.sandbox ?? (env['FEED_SANDBOX_LINK'] || undefined)
    const sandbox = link === undefined ? undefined : readSandboxLink(link)
    out.hide(sandbox?.session ?? '')
    const inbox = { shard, source, schema }
    // Not as an option: a check of a receiver counts nothing if there is no inbox.
    const shared = { env: { ...env, DATABASE_URL: database }, signal, verbs }
    const makeServer = await toolServers({ ...shared, inbox, by, remote, sandbox, write })
    if (http === undefined) return await serveInput(makeServer, context)

    const { token, isNew } = readToken(tokenEnv, context)
    const port = http === true ? 4030 : http
    const { url, close } = await serveHttp(makeServer, { port, token, onError: out.warn })
    // A token that was generated for this run is shown once, on purpose.
    const line = isNew ? `${url}\nAuthorization: Bearer ${token}` : url
    out.reveal({ line, json: isNew ? { url, token } : { url } })
    if (!signal.aborted) await once(signal, 'abort')
    await close()
    return 0
  },
})

/** Serves the process that started this one, until it closes the input. */
async function serveInput(
  makeServer: () => McpServer,
  { out, input, signal }: Context,
): Promise<number> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const { checkLines } = await import('../mcp/checked-lines.ts')
  const lines = checkLines(input, process.stdout)
  const ended = once(lines, 'end', { signal }).catch(() => undefined)
  const transport = new StdioServerTransport(lines, process.stdout)
  const connection = serveStdio(makeServer, { onerror: out.warn, transport })
  await ended
  await connection.close()
  // An input that is still open would keep the process running.
  input.destroy()
  return 0
}

/** Prints a configuration for each client. It names variables and contains no secret. */
function printConfig(out: Context['out']): number {
  const server = (form: (name: string) => string) => ({
    'feed-receiver': {
      command: 'npx',
      args: ['feed-receiver', 'mcp'],
      env: {
        DATABASE_URL: form('DATABASE_URL'),
        FEED_SIGNING_SECRET: form('FEED_SIGNING_SECRET'),
      },
    },
  })
  const inEditor = server((name) => `\${env:${name}}`)
  const clients = {
    claudeCode: {
      file: '.mcp.json',
      json: { mcpServers: server((name) => `\${${name}:-}`) },
    },
    cursor: { file: '.cursor/mcp.json', json: { mcpServers: inEditor } },
    vscode: { file: '.vscode/mcp.json', json: { servers: inEditor } },
  }
  const lines = Object.values(clients).flatMap(({ file, json }) => [
    `${file}:`,
    JSON.stringify(json, null, 2),
    '',
  ])
  out.result(clients, ...lines)
  return 0
}
