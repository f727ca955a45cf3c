import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../test/contract/listen.ts'
import { createTarget } from '../../../test/support/databases.ts'
import { startProgram } from '../../../test/support/start-program.ts'
import { startMain } from '../test/start-cli.ts'

const env = { FEED_SIGNING_SECRET: 'feed_whsec_mcptest0123456789abcdef' }
const read = { name: 'feed_docs_read', arguments: { page: 'inbox' } }

it.each(['feed_check', 'feed_send', 'feed_doctor'])(
  'mcp answers other calls over HTTP while %s waits for a receiver',
  async (waiting) => {
    const receiver = await startSilent()
    const { target, drop } = await createTarget('postgres', 'nothing')
    if (typeof target !== 'string') throw new Error('It is a URL.')
    onTestFinished(drop)
    const args = ['mcp', '--http', '0', '--json', '--database', target]
    const running = startMain(args, { cwd: '/', env })
    const [line] = await running.line(/^\{.*/)
    const { url, token } = JSON.parse(line) as { url: string; token: string }
    const client = new Client({ name: 'tests', version: '1.0.0' })
    const headers = { Authorization: `Bearer ${token}` }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    )
    const type = waiting === 'feed_send' ? { type: 'outage_started' } : {}
    const call = { name: waiting, arguments: { ...type, url: receiver.url } }
    let isAnswered = false
    const slow = client.callTool(call).then(() => (isAnswered = true))
    await receiver.asked
    expect(await client.callTool(read)).toMatchObject({ structuredContent: { ok: true } })
    // There is no inbox, and it says so.
    expect(await client.callTool({ name: 'feed_inbox_list' })).toMatchObject({ isError: true })
    expect(isAnswered).toBe(false)
    await receiver.close()
    await slow
    await client.close()
    expect(await running.interrupt()).toBe(0)
  },
  120_000,
)

it('mcp answers other calls on stdio while feed_check waits for a receiver', async () => {
  const receiver = await startSilent()
  const bin = new URL('bin.ts', import.meta.url)
  const program = startProgram(bin, ['mcp'], { cwd: '/', env: { ...process.env, ...env } })
  const send = (id: number, method: string, params: object) =>
    program.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  const answer = async () => JSON.parse(await program.nextLine())
  const clientInfo = { name: 'tests', version: '1.0.0' }
  send(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  expect(await answer()).toMatchObject({ id: 1 })
  send(2, 'tools/call', { name: 'feed_check', arguments: { url: receiver.url } })
  await receiver.asked
  send(3, 'tools/call', read)
  expect(await answer()).toMatchObject({ id: 3, result: { structuredContent: { ok: true } } })
  await receiver.close()
  expect(await answer()).toMatchObject({ id: 2 })
  program.closeInput()
  expect(await program.ended).toBe(0)
}, 120_000)

/** A receiver that answers nothing until it is closed. */
async function startSilent() {
  let ask = () => {}
  const asked = new Promise<void>((resolve) => (ask = resolve))
  const { port, close } = await listen(() => ask())
  let closed: Promise<void> | undefined
  const closeOnce = () => (closed ??= close())
  onTestFinished(closeOnce)
  return { url: `http://127.0.0.1:${port}/`, asked, close: closeOnce }
}
