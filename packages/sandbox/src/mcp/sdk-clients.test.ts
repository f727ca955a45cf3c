import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import { useSandbox, type TestSandbox } from '../../test/use-sandbox.ts'

const identity = { name: 'tests', version: '1.0.0' }

/** What tests need of a client of any version; each checks answers against the output schemas. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

const clients: [string, (made: TestSandbox) => Promise<AnyClient>][] = [
  ['version 1 of the SDK', connectV1],
  ['version 2, as it is', (made) => connectV2(made, 'legacy')],
  ['version 2, negotiating', (made) => connectV2(made, 'auto')],
]

describe.each(clients)('%s', (_, connect) => {
  const made = useSandbox()

  it('lists and calls every tool, with results that match their schemas [R144, R154]', async () => {
    const client = await connect(made())
    const { tools } = await client.listTools()
    expect(tools).toHaveLength(4)

    const listed = await client.callTool({ name: 'list_changes', arguments: { limit: 200 } })
    expect(listed).toMatchObject({ structuredContent: { hasMore: false } })
    const { body } = await made().get('/v1/events?type=outage&limit=1')
    const { id } = body.data[0]
    const gotten = await client.callTool({ name: 'get_change', arguments: { id } })
    expect(gotten).toMatchObject({ structuredContent: { event: { id } } })
    const facts = await client.callTool({ name: 'get_deprecations', arguments: {} })
    expect(facts).toMatchObject({ structuredContent: { data: expect.any(Array) } })
    for (const model of ['zephyr-latest', 'embed-latest', 'none']) {
      const checked = await client.callTool({ name: 'check_model', arguments: { model } })
      expect(checked).toMatchObject({ structuredContent: { result: expect.any(String) } })
    }
    const rejected = await client.callTool({ name: 'get_change', arguments: { id: 'evt_none' } })
    expect(rejected).toMatchObject({ isError: true, content: [{ type: 'text' }] })
    await client.close()
  })

  it('reports an invalid key', async () => {
    await expect(connect({ ...made(), key: 'feed_live_unknown' })).rejects.toThrow(
      /unauthorized|401/i,
    )
  })
})

async function connectV1(made: TestSandbox): Promise<AnyClient> {
  const client = new ClientV1(identity)
  const transport = new TransportV1(urlOf(made), { requestInit: headersOf(made) })
  await client.connect(transport)
  return client
}

async function connectV2(made: TestSandbox, mode: 'legacy' | 'auto'): Promise<AnyClient> {
  const client = new Client(identity, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(urlOf(made), { requestInit: headersOf(made) }),
  )
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
  return client
}

function urlOf({ sandbox }: TestSandbox): URL {
  return new URL(`${sandbox.url}/mcp`)
}

function headersOf({ key }: TestSandbox) {
  return { headers: { authorization: `Bearer ${key}` } }
}
