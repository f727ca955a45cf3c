import { inspect } from 'node:util'
import { createClient, type ClientOptions } from '@feed-receiver/client'
import type { ApiFault } from '@feed-receiver/sandbox'
import { virtualClock } from '@feed-receiver/sender/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useSandbox } from '../../packages/sandbox/test/use-sandbox.ts'

const accountId = 'acct_sandbox'

describe('the MCP client with the sandbox', () => {
  const made = useSandbox()

  async function connect(options: Partial<ClientOptions> = {}) {
    const { sandbox, key } = made()
    const client = createClient({ baseUrl: sandbox.url, apiKey: key, ...options })
    const tools = await client.mcp()
    onTestFinished(() => tools.close())
    return { client, tools, control: sandbox.control }
  }

  it('calls each tool with one request, plus one to connect [R145, R158]', async () => {
    const { client, tools, control } = await connect()
    const before = (await client.eventPage({ limit: 1 })).usage?.requests ?? 0

    const listed = await tools.listChanges({ type: 'outage', limit: 5 })
    expect(listed).toMatchObject({ unreadable: [], hasMore: false })
    expect(listed.items).toEqual((await client.eventPage({ type: 'outage', limit: 5 })).items)
    const [{ id } = { id: '' }] = listed.items
    expect(await tools.getChange(id)).toEqual(await control.findEvent({ id }))
    const { items, unreadable } = await tools.getDeprecations()
    expect(unreadable).toEqual([])
    const [fact] = items
    const { modelId: model = '', provider } = fact ?? {}
    const check = await tools.checkModel({ model, provider })
    expect(check).toMatchObject({ result: 'found', model, provider })

    // The two pages of the pull API were charged as well. Each response has the remaining requests.
    expect(client.usage?.requests).toBe(before + 6)
    expect(client.rateLimit.usagePeriod).toMatchObject({ remaining: 100_000 - (before + 6) })
    expect(client.rateLimit.burst).toMatchObject({ limit: 120 })
  })

  it('continues after a cursor like the pull API [R147]', async () => {
    const { client, tools, control } = await connect()
    const { cursor } = await tools.listChanges()
    const { id } = await control.composeEvent()
    expect(await tools.listChanges({ cursor })).toMatchObject({ items: [{ id }] })
    expect(await client.eventPage({ cursor })).toMatchObject({ items: [{ id }] })
  })

  it('distinguishes unknown from ambiguous, and resolves a returned candidate [R151]', async () => {
    const { tools, control } = await connect()
    const models = [
      ['northwind-ai', 'gale-embed-2'],
      ['lumen-labs', 'lux-embed'],
    ] as const
    for (const [providerSlug, model] of models) {
      const subject = { subjectType: 'model', subjectKey: `${providerSlug}/${model}` }
      await control.composeEvent({ eventType: 'model_release', providerSlug, ...subject })
    }
    expect(await tools.checkModel({ model: 'none' })).toMatchObject({ result: 'unknown' })
    const { result, candidates } = await tools.checkModel({ model: 'embed-latest' })
    expect(result).toBe('ambiguous')
    expect(candidates).toHaveLength(2)
    for (const { provider } of candidates ?? []) {
      const named = await tools.checkModel({ model: 'embed-latest', provider })
      expect(named).toMatchObject({ result: 'found', provider, matchedBy: 'alias' })
    }
  })

  it('throws tool errors with the code of the service [R155]', async () => {
    const { tools } = await connect()
    await expect(tools.getChange('evt_none')).rejects.toMatchObject({ code: 'not_found' })
    const rejected = { code: 'invalid_request', serviceCode: 'invalid_request' }
    await expect(tools.listChanges({ limit: 1000 })).rejects.toMatchObject(rejected)
    await expect(tools.listChanges({ cursor: 'made up' })).rejects.toMatchObject(rejected)
  })

  it('waits for the time that a 429 names', async () => {
    const start = Date.parse('2027-01-05T00:00:45Z')
    const clock = virtualClock({ start })
    const { client, tools, control } = await connect({ clock })
    await control.moveClock({ to: 'freeze', at: new Date(start).toISOString() })
    await control.changeAccount({ id: accountId, burstLimit: 1 })
    const waited = client.eventPage({ limit: 1 }).then(() => tools.checkModel({ model: 'none' }))
    await expect
      .poll(() => client.rateLimit.blocked)
      .toMatchObject({
        until: new Date(start + 15_000),
      })
    await control.changeAccount({ id: accountId, burstLimit: 120 })
    await clock.advance(15_000)
    await expect(waited).resolves.toMatchObject({ result: 'unknown' })
    await control.moveClock({ to: 'reset' })
  })

  it.each<ApiFault>([
    { kind: 'status', status: 503 },
    { kind: 'status', status: 500 },
    { kind: 'cut' },
    { kind: 'delay', ms: 50 },
    { kind: 'unknown_member' },
  ])('gets a response despite a fault: $kind', async (fault) => {
    const clock = virtualClock({ autoAdvance: true })
    const { tools, control } = await connect({ clock })
    const expected = await tools.listChanges({ limit: 3 })
    await control.createApiFault({ surface: 'mcp', fault, times: 1 })
    const { items } = await tools.listChanges({ limit: 3 })
    expect(items.map(({ id }) => id)).toEqual(expected.items.map(({ id }) => id))
    expect(await control.listApiFaults()).toEqual([])
  })

  it('rejects an unreadable response, and returns a stuck cursor unchanged', async () => {
    const { tools, control } = await connect()
    const { cursor } = await tools.listChanges()
    await control.createApiFault({ surface: 'mcp', fault: { kind: 'not_json' }, times: 1 })
    await expect(tools.listChanges()).rejects.toMatchObject({ code: 'unexpected_answer' })
    await control.createApiFault({ surface: 'mcp', fault: { kind: 'stuck_cursor' }, times: 1 })
    const stuck = await tools.listChanges({ cursor })
    expect(stuck).toMatchObject({ cursor, hasMore: true })
  })

  it('stops when its key is revoked, and never shows the key', async () => {
    const { control } = made().sandbox
    const made2 = await control.createKey({ accountId, name: 'short-lived' })
    const { tools } = await connect({ apiKey: made2.key })
    await tools.checkModel({ model: 'none' })
    await control.revokeKey({ id: made2.id })
    const error: unknown = await tools.checkModel({ model: 'none' }).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 })
    expect(inspect(error, { depth: 9 })).not.toContain(made2.key)
  })
})
