import { beforeAll, describe, expect, it } from 'vitest'
import { mcpRequest, modern, type McpRequestOptions } from '../../test/mcp-request.ts'
import { startSandbox, useSandbox } from '../../test/use-sandbox.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import manifest from '../documents/manifest.json' with { type: 'json' }

const { protocolVersions } = manifest.mcp

const accountId = 'acct_sandbox'
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
})

const notification = { jsonrpc: '2.0', method: 'notifications/x' }
const revision = (version: string) => ({ headers: { 'mcp-protocol-version': version } })
const headersOf = (method: string) => modern(1, method)[1]

describe('/mcp', () => {
  const made = useSandbox({ historyDays: 0 })
  beforeAll(() => made().sandbox.control.changeAccount({ id: accountId, burstLimit: 10_000 }))
  const requests = async () => (await made().get('/v1/events')).body.usage.requests

  it.each<[string, [body: unknown, options?: McpRequestOptions]]>([
    ['initialize', [initialize('2025-11-25')]],
    ['a notification', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
    ['tools/list', [listTools]],
    ['server/discover', modern(1, 'server/discover')],
    ['tools/call', modern(1, 'tools/call', { name: 'list_changes', arguments: {} })],
    ['a wrong argument', modern(1, 'tools/call', { name: 'get_change', arguments: {} })],
    ['a tool that there is not', modern(1, 'tools/call', { name: 'write', arguments: {} })],
    ['GET', [undefined, { method: 'GET' }]],
    ['DELETE', [undefined, { method: 'DELETE' }]],
    ['invalid JSON', ['{']],
    ['another content type', ['a=b', { headers: { 'content-type': 'text/plain' } }]],
    ['a body that is too large', [`"${'x'.repeat(2_000_000)}"`]],
    ['another address below', [listTools, { path: '/mcp/tools' }]],
  ])('costs one request: %s [R55, R144, R145, R226]', async (_, [body, options]) => {
    const before = await requests()
    await mcpRequest(made(), body, options)
    // The second look costs one, too.
    expect((await requests()) - before).toBe(2)
  })

  it('sends rate limit headers with every response [R155, R245]', async () => {
    for (const [body, options] of [
      [listTools],
      modern(1, 'server/discover'),
      modern(2, 'tools/call', { name: 'get_change', arguments: { id: 'evt_none' } }),
    ] as const) {
      const { status, headers } = await mcpRequest(made(), body, options)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'x-ratelimit-limit': '100000',
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d{4}-.+Z$/),
        'x-ratelimit-burst-limit': '10000',
        'x-ratelimit-burst-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-burst-reset': expect.stringMatching(/^\d{4}-.+Z$/),
        'cache-control': 'no-store',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it.each([undefined, 'feed_live_unknown', 'wrong'])(
    'rejects the key %s without a charge [R77, R144, R145]',
    async (key) => {
      const before = await requests()
      const rejected = await mcpRequest(made(), listTools, { key })
      expect(rejected.status).toBe(401)
      expect(rejected.body).toEqual({ error: expect.any(String), code: 'unauthorized' })
      // Without resource_metadata, which would have clients begin an OAuth flow.
      expect(rejected.headers['www-authenticate']).toBe('Bearer realm="feed"')
      expect((await requests()) - before).toBe(1)
    },
  )

  it('rejects accounts without Pro or allowance like the API [R155, R224]', async () => {
    const { sandbox, get } = made()
    await sandbox.control.changeAccount({ id: accountId, proActive: false })
    const inactive = await mcpRequest(made(), listTools)
    await sandbox.control.changeAccount({ id: accountId, proActive: true, burstLimit: 1 })
    await get('/v1/events')
    const spent = await mcpRequest(made(), listTools)
    await sandbox.control.changeAccount({ id: accountId, burstLimit: 10_000 })

    expect(inactive.status).toBe(403)
    expect(inactive.body).toEqual({ error: expect.any(String), code: 'pro_required' })
    expect(spent.status).toBe(429)
    expect(spent.body).toEqual({ error: expect.any(String), code: 'rate_limited' })
    expect(spent.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^[1-9]\d*$/),
      'x-ratelimit-scope': 'burst',
      'x-ratelimit-limit': '100000',
    })
  })

  it.each<[string, Record<string, string>]>([
    ['a foreign Origin', { origin: 'http://evil.example' }],
    ['another port as Origin', { origin: 'http://127.0.0.1:1' }],
    ['no origin of its own', { origin: 'null' }],
    ['a foreign Host', { host: 'evil.example' }],
  ])('rejects %s before it checks the key [R156]', async (_, headers) => {
    const before = await requests()
    const rejected = await mcpRequest(made(), listTools, { headers })
    expect(rejected.status).toBe(403)
    expect(rejected.body).toEqual({ error: expect.any(String), code: 'forbidden' })
    expect((await requests()) - before).toBe(1)
  })

  it('accepts its own address as Origin [R156]', async () => {
    const headers = { origin: made().sandbox.url }
    expect(await mcpRequest(made(), listTools, { headers })).toMatchObject({ status: 200 })
  })

  it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('rejects the method %s [R77]', async (method) => {
    const rejected = await mcpRequest(made(), undefined, { method })
    expect(rejected.status).toBe(405)
    expect(rejected.headers.allow).toBe('POST')
    expect(rejected.body).toEqual({ error: expect.any(String), code: 'method_not_allowed' })
  })

  it.each<[string, number, [body: unknown, options?: McpRequestOptions]]>([
    ['invalid JSON', 400, ['{']],
    ['no body', 400, [undefined]],
    ['not a message', 400, [{}]],
    ['no version of JSON-RPC', 400, [{ id: 7, method: 'ping' }]],
    ['another version of JSON-RPC', 400, [{ jsonrpc: '1.0', id: 7, method: 'ping' }]],
    ['parameters in a list', 400, [{ jsonrpc: '2.0', id: 7, method: 'ping', params: [] }]],
    ['an unknown member', 400, [{ ...listTools, id: 'seven', extra: 1 }]],
    ['a fraction as id', 400, [{ ...listTools, id: 1.5 }]],
    ['a revision from before', 400, [listTools, revision('2024-11-05')]],
    ['an invalid revision', 400, [notification, revision('x')]],
    ['null', 400, ['null']],
    ['an empty batch', 400, [[]]],
    ['an infinite id', 400, ['{"jsonrpc":"2.0","id":1e400,"method":"tools/list"}']],
    [
      'a notification with headers of another request',
      400,
      [notification, headersOf('tools/list')],
    ],
    ['a malformed address', 400, [listTools, { path: '/mcp/%' }]],
    ['a path below', 404, [listTools, { path: '/mcp/tools' }]],
    ['GET', 405, [undefined, { method: 'GET' }]],
    [
      'an Accept header without event streams',
      406,
      [listTools, { headers: { accept: 'application/json' } }],
    ],
    ['a body that is too large', 413, [`"${'x'.repeat(2_000_000)}"`]],
    ['another content type', 415, ['a=b', { headers: { 'content-type': 'text/plain' } }]],
  ])('rejects with the error object of the API: %s [R77]', async (_, status, [body, options]) => {
    const before = await requests()
    const rejected = await mcpRequest(made(), body, options)
    const code = { 404: 'not_found', 405: 'method_not_allowed' }[status] ?? 'invalid_request'
    expect([rejected.status, rejected.body]).toEqual([status, { error: expect.any(String), code }])
    expect(rejected.headers['content-type']).toMatch(/^application\/json/)
    expect(rejected.headers['cache-control']).toBe('no-store')
    expect(Object.keys(rejected.headers).filter((name) => name.startsWith('x-'))).toEqual([])
    const [last] = await made().sandbox.control.listRequests({ limit: 1 })
    expect(last).toMatchObject({ status, reason: expect.any(String), charged: true })
    expect((await requests()) - before).toBe(2)
    const unknown = await mcpRequest(made(), body, { ...options, key: undefined })
    expect([unknown.status, unknown.body.code]).toEqual([401, 'unauthorized'])
  })

  it('answers protocol errors with the id of the request', async () => {
    const unknown = await mcpRequest(made(), { jsonrpc: '2.0', id: 7, method: 'tools/write' })
    expect(unknown.body).toMatchObject({ id: 7, error: { code: -32_601 } })
    const [body, options] = modern(8, 'tools/write')
    expect(await mcpRequest(made(), body, options)).toMatchObject({
      status: 404,
      body: { id: 8, error: { code: -32_601 } },
    })
    const later = JSON.parse(JSON.stringify(body).replaceAll('2026-07-28', '2099-01-01'))
    const headers = { ...options.headers, 'mcp-protocol-version': '2099-01-01' }
    // By which a client of a later day finds the revision that both know.
    expect(await mcpRequest(made(), later, { headers })).toMatchObject({
      status: 400,
      body: { id: 8, error: { data: { supported: ['2026-07-28'] } } },
    })
  })

  it.each(protocolVersions.slice(1))('speaks %s [R157]', async (version) => {
    const { body } = await mcpRequest(made(), initialize(version))
    expect(body.result.protocolVersion).toBe(version)
    const listed = await mcpRequest(made(), listTools, revision(version))
    expect(listed.body.result.tools).toHaveLength(4)
  })

  it.each(['2024-11-05', '2024-10-07', '2025-01-01', '2099-01-01'])(
    'offers the newest revision with a handshake for %s, and rejects that header',
    async (version) => {
      const { body } = await mcpRequest(made(), initialize(version))
      expect(body.result.protocolVersion).toBe(protocolVersions[1])
      const rejected = await mcpRequest(made(), listTools, revision(version))
      expect(rejected.status).toBe(400)
      expect(rejected.text).not.toMatch(/2024-1[01]-0[57].*2024-1[01]-0[57]/)
    },
  )

  it('speaks 2026-07-28 with a cache lifetime [R157, R158]', async () => {
    const discovered = await mcpRequest(made(), ...modern(1, 'server/discover'))
    expect(discovered.body.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 3_600_000,
    })
    const listed = await mcpRequest(made(), ...modern(2, 'tools/list'))
    expect(listed.body.result).toMatchObject({ ttlMs: 3_600_000 })
    expect(listed.body.result.tools).toHaveLength(4)
  })

  it('is named by the manifest for agents [R141]', async () => {
    const { body } = await made().get('/.well-known/feed-agent.json', { key: null })
    expect(body.mcp).toEqual({ url: `${made().sandbox.url}/mcp`, protocolVersions })
  })

  it('is in the journal with the error of a tool', async () => {
    await mcpRequest(made(), ...modern(1, 'tools/call', { name: 'get_change', arguments: {} }))
    const [last] = await made().sandbox.control.listRequests({ limit: 1 })
    expect(last).toMatchObject({
      path: '/mcp',
      status: 200,
      reason: 'bad_parameter',
      charged: true,
    })
  })
})

it('stops while a client waits for notifications', async () => {
  const { target, drop } = await createTarget('postgres')
  const made = await startSandbox({ database: target, historyDays: 0 })
  const [body, options] = modern(1, 'subscriptions/listen', {
    notifications: { toolsListChanged: true },
  })
  const response = await fetch(`${made.sandbox.url}/mcp`, {
    method: 'POST',
    headers: {
      ...options.headers,
      authorization: `Bearer ${made.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  await made.sandbox.stop()
  await response.text().catch(() => undefined)
  await drop()
})
