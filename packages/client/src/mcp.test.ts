import { virtualClock } from '@feed-receiver/sender/testing'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeEvent } from '../test/make-event.ts'
import { limited, passingFaults, sendError, type Fault } from '../test/serve-feed.ts'
import { serveMcp, type ServedMcp } from '../test/serve-mcp.ts'
import { createClient, type ClientOptions } from './index.ts'

const toJson = (message: unknown) => JSON.stringify(message)

const start = Date.parse('2026-12-01T00:00:00Z')

async function connect(served: ServedMcp, options: Partial<ClientOptions> = {}) {
  const { baseUrl } = served
  const clock = virtualClock({ start, autoAdvance: true })
  const client = createClient({
    baseUrl,
    apiKey: 'feed_live_good',
    clock,
    maxAttempts: 3,
    ...options,
  })
  const tools = await client.mcp()
  onTestFinished(() => tools.close())
  return { client, tools, clock }
}

const deprecation = {
  id: 'evt_1',
  provider: 'northwind-ai',
  modelId: 'northwind-1',
  fact: 'deprecated',
  announcedAt: '2026-11-01T00:00:00Z',
  sourceUrl: 'https://northwind-ai.example/1',
  evidenceState: 'documented',
  mood: 'sad',
}

describe('the MCP tools', () => {
  it('are four typed functions that cost one request each after one to connect [R151, R152, R158]', async () => {
    const served = await serveMcp()
    served.events.push(makeEvent(1, { evidenceState: 'overheard' }), makeEvent(2))
    served.answers.set('get_deprecations', {
      data: [deprecation, { id: 'evt_2' }],
      nextCursor: 'next',
      hasMore: true,
    })
    const { client, tools } = await connect(served)
    expect(await client.mcp()).toBe(tools)
    expect(await tools.listChanges({ cursor: 'here', limit: 2 })).toMatchObject({
      items: served.events,
      cursor: 'here',
      hasMore: false,
    })
    expect(await tools.getChange('evt_2')).toEqual(served.events[1])
    const { items, unreadable, cursor } = await tools.getDeprecations({ model: 'northwind-1' })
    expect(items).toMatchObject([{ modelId: 'northwind-1', mood: 'sad' }])
    expect([unreadable.length, cursor]).toEqual([1, 'next'])
    expect(await tools.checkModel({ model: 'none' })).toMatchObject({ result: 'unknown' })
    served.answers.set('check_model', {
      result: 'ambiguous',
      candidates: [{ provider: 'contoso', model: 'm' }],
    })
    expect((await tools.checkModel({ model: 'm' })).candidates?.[0]?.provider).toBe('contoso')
    expect(served.calls).toEqual(['server/discover', ...Array(5).fill('tools/call')])
    expect(client.usage).toMatchObject({ requests: 5, limit: 100 })
    expect(client.rateLimit.usagePeriod).toMatchObject({ limit: 100, remaining: 95 })
  })

  it('iterate over deprecations until the service repeats a cursor, without unreadable ones', async () => {
    const served = await serveMcp()
    const data = [deprecation, { id: 'evt_2' }]
    served.answers.set('get_deprecations', { data, nextCursor: 'again', hasMore: true })
    const onWarning = vi.fn<(warning: string) => void>()
    const { tools } = await connect(served, { onWarning })
    const read: string[] = []
    const reading = (async () => {
      for await (const { id } of tools.deprecations({ limit: 2 })) read.push(id)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'bad_page' })
    expect(read).toEqual(['evt_1', 'evt_1'])
    expect(onWarning).toHaveBeenCalledTimes(2)
    expect(onWarning).toHaveBeenCalledWith(
      expect.stringMatching(/^A deprecation is skipped because it cannot be read: provider: /),
    )
  })

  it('work with a server of an older revision, without opening its stream [R158]', async () => {
    const served = await serveMcp({ isOld: true })
    served.events.push(makeEvent(1))
    const { tools } = await connect(served)
    expect((await tools.listChanges()).items).toEqual(served.events)
    await tools.listChanges()
    expect(served.calls).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
      'tools/call',
    ])
  })

  it('begin a new session if the server has ended theirs', async () => {
    const served = await serveMcp({ isOld: true })
    served.events.push(makeEvent(1))
    const { tools } = await connect(served)
    await tools.listChanges()
    served.endSession()
    const before = served.calls.length
    expect((await tools.listChanges()).items).toEqual(served.events)
    expect(served.calls.slice(before)).toEqual([
      'tools/call',
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
    served.endSession()
    const pages = await Promise.all([tools.listChanges(), tools.listChanges()])
    expect(pages.map(({ items }) => items)).toEqual([served.events, served.events])
  })

  it('throw not_found for an unknown event', async () => {
    const served = await serveMcp()
    const { tools } = await connect(served)
    await expect(tools.getChange('evt_none')).rejects.toMatchObject({
      code: 'not_found',
      serviceCode: 'not_found',
    })
  })

  it.each([
    ['invalid_request', 'invalid_request'],
    ['internal_error', 'unavailable'],
    ['unavailable', 'unavailable'],
    ['of_a_later_day', 'unexpected_answer'],
  ])('map the error code %s [R78]', async (serviceCode, code) => {
    const served = await serveMcp()
    served.answers.set('list_changes', { error: 'Something for people.', code: serviceCode })
    const { tools } = await connect(served)
    await expect(tools.listChanges()).rejects.toMatchObject({ code, serviceCode })
  })

  it('use the time limits of the client, not those of the SDK', async () => {
    const served = await serveMcp()
    const { tools } = await connect(served)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    await tools.listChanges()
    // The SDK times out after a minute, and six attempts of 30 seconds take longer.
    const waits = timers.mock.calls.map(([, ms = 0]) => ms)
    expect(waits.filter((ms) => ms > 30_000 && ms < 2 ** 31 - 1)).toEqual([])
  })

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('throw after a %s without a retry', async (status, code) => {
    const served = await serveMcp()
    const { tools } = await connect(served)
    await tools.listChanges()
    served.failNext((response) => sendError(response, status, 'no'))
    await expect(tools.listChanges()).rejects.toMatchObject({ code, status })
    expect(served.calls).toHaveLength(3)
    expect((await tools.listChanges()).items).toEqual([])
  })

  it('connect with a later call if the first one fails', async () => {
    const served = await serveMcp()
    const { tools } = await connect(served)
    served.failNext((response) => sendError(response, 403, 'pro_required'))
    await expect(tools.listChanges()).rejects.toMatchObject({ code: 'forbidden' })
    expect((await tools.listChanges()).items).toEqual([])
  })

  it('respect the rate limits of the client', async () => {
    const served = await serveMcp()
    const { client, tools, clock } = await connect(served)
    await tools.listChanges()
    served.failNext(limited('burst', 20))
    await tools.listChanges()
    expect(clock.now() - start).toBe(20_000)
    served.failNext(limited('usage_period', 2_592_000))
    await expect(tools.listChanges()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(client.rateLimit.blocked?.scope).toBe('usage_period')
    const before = served.calls.length
    await expect(tools.listChanges()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(served.calls).toHaveLength(before)
  })

  it('reject with the reason of the signal of the client', async () => {
    const served = await serveMcp()
    const stopping = new AbortController()
    const { tools } = await connect(served, { signal: stopping.signal })
    await tools.listChanges()
    served.failNext(() => stopping.abort(new Error('the app stops')))
    await expect(tools.listChanges()).rejects.toThrow('the app stops')
    await expect(tools.listChanges()).rejects.toThrow('the app stops')
  })

  it.each(['a 500', 'a 503 of a proxy', 'a reset', 'a body cut short'])(
    'retry after %s',
    async (fault) => {
      const served = await serveMcp()
      const { tools } = await connect(served)
      const failing = passingFaults[fault]
      if (failing) served.failNext(failing, failing)
      expect((await tools.listChanges()).items).toEqual([])
      expect(served.calls).toHaveLength(4)
    },
  )

  it.each([
    ['a result that is not a page', 'list_changes', { data: 'none' }],
    ['a result without an answer', 'check_model', { answer: 42 }],
  ])('reject %s', async (_, name, answer) => {
    const served = await serveMcp()
    served.answers.set(name, answer)
    const { tools } = await connect(served)
    const call = name === 'check_model' ? tools.checkModel({ model: 'm' }) : tools.listChanges()
    await expect(call).rejects.toMatchObject({ name: 'ClientError' })
  })

  const structuredContent = { result: 'unknown' }
  const result = { resultType: 'complete', content: [], structuredContent }
  const sse = (...messages: unknown[]) =>
    messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join('')

  it.each<[string, number, string, (id: unknown) => string]>([
    ['202', 202, 'application/json', () => ''],
    ['an empty 200', 200, 'application/json', () => ''],
    ['an empty stream', 200, 'text/event-stream', () => ''],
    ['a stream of comments', 200, 'text/event-stream', () => ': hello\n\n: hello\n\n'],
    ['another id', 200, 'application/json', () => toJson({ jsonrpc: '2.0', id: 999, result })],
    [
      'the id as text',
      200,
      'text/event-stream',
      (id) => sse({ jsonrpc: '2.0', id: String(id), result }),
    ],
    ['no result', 200, 'text/event-stream', (id) => sse({ jsonrpc: '2.0', id })],
    ['an older JSON-RPC', 200, 'text/event-stream', (id) => sse({ jsonrpc: '1.0', id, result })],
    ['no object', 200, 'application/json', () => '7'],
    ['an empty batch', 200, 'application/json', () => '[]'],
    ['a request', 200, 'text/event-stream', (id) => sse({ jsonrpc: '2.0', id, method: 'ping' })],
    [
      'a result of another kind',
      200,
      'text/event-stream',
      (id) => sse({ jsonrpc: '2.0', id, result: 7 }),
    ],
    [
      'an error of another kind',
      200,
      'application/json',
      (id) => toJson({ jsonrpc: '2.0', id, error: 7 }),
    ],
  ])(
    'end with an error after %s, before and after they are connected',
    async (_, status, type, write) => {
      const served = await serveMcp()
      const { tools } = await connect(served)
      const wrong: Fault = (response, { message }) =>
        response.writeHead(status, { 'content-type': type }).end(write(message?.id))
      served.alwaysFail = wrong
      await expect(tools.checkModel({ model: 'm' })).rejects.toMatchObject({ name: 'ClientError' })
      served.alwaysFail = null
      expect(await tools.checkModel({ model: 'm' })).toMatchObject({ result: 'unknown' })
      served.failNext(wrong)
      await expect(tools.checkModel({ model: 'm' })).rejects.toMatchObject({
        code: 'unexpected_answer',
      })
      expect(await tools.checkModel({ model: 'm' })).toMatchObject({ result: 'unknown' })
    },
  )

  it('find the result among other messages of a stream', async () => {
    const served = await serveMcp()
    const { tools } = await connect(served)
    await tools.listChanges()
    served.failNext((response, { message }) => {
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: {} }
      const text = JSON.stringify({ jsonrpc: '2.0', id: message?.id, result }, null, 1)
      const lines = text.split('\n').map((line) => `data: ${line}\r\n`)
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`: hello\r\n\r\ndata: ${JSON.stringify(progress)}\r\n\r\n${lines.join('')}\r\n`)
    })
    expect(await tools.checkModel({ model: 'm' })).toMatchObject({ result: 'unknown' })
  })

  it('never show the key in an error', async () => {
    const served = await serveMcp()
    const { tools } = await connect(served, { apiKey: 'feed_live_verysecret' })
    const error: unknown = await tools.listChanges().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unauthorized' })
    expect(inspect(error, { depth: 9 })).not.toContain('verysecret')
  })
})
