import { describe, expect, it } from 'vitest'
import { filledKinds } from '../../../../test/support/databases.ts'
import { mcpRequest, modern, type McpRequestOptions } from '../../test/mcp-request.ts'
import { useSandbox } from '../../test/use-sandbox.ts'

describe.each(filledKinds)('fault rules on %s', (kind) => {
  const made = useSandbox({ historyDays: 2, firstCursor: 'replay' }, kind)

  it('spoil the given number of responses, oldest rule first', async () => {
    const { get, act, sandbox } = made()
    const fail = { surface: 'events', fault: { kind: 'status', status: 503 }, times: 2 }
    expect((await act('create-api-fault', fail)).status).toBe(200)
    await sandbox.control.createApiFault({
      surface: 'events',
      fault: { kind: 'not_json' },
      times: 1,
    })
    expect((await get('/v1/account-events')).status).toBe(200)
    const answers = [1, 2, 3, 4].map(() => () => get('/v1/events'))
    const seen: string[] = []
    for (const ask of answers) {
      const { status, text } = await ask()
      seen.push(`${status} ${text.slice(0, 9)}`)
    }
    expect(seen).toEqual(['503 {"error":', '503 {"error":', '200 <!doctype', '200 {"data":['])
    expect(await sandbox.control.listApiFaults()).toEqual([])
  })

  it('are charged, and answer 500 without an internal error', async () => {
    const { get, sandbox } = made()
    const used = async () => (await get('/v1/events')).body.usage.requests
    const before = await used()
    const fault = { kind: 'status', status: 500 } as const
    await sandbox.control.createApiFault({ surface: 'events', fault, times: 1 })
    expect(await get('/v1/events')).toMatchObject({ status: 500, body: { code: 'internal_error' } })
    expect(await used()).toBe(before + 2)
  })

  it('last until they are deleted if times is left out', async () => {
    const { get, sandbox, act } = made()
    const fault = { kind: 'null_cursor' } as const
    const { id } = await sandbox.control.createApiFault({ surface: 'events', fault })
    for (let request = 0; request < 3; request += 1) {
      expect((await get('/v1/events')).body.nextCursor).toBeNull()
    }
    await sandbox.control.deleteApiFault({ id })
    expect((await get('/v1/events')).body.nextCursor).not.toBeNull()
    expect((await act('delete-api-fault', { id })).status).toBe(404)
  })

  it('produce the documented faulty responses [R12]', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    const { nextCursor } = (await get('/v1/events')).body
    await control.createApiFault({ surface: 'events', fault: { kind: 'stuck_cursor' }, times: 1 })
    const stuck = (await get(`/v1/events?limit=200&cursor=${nextCursor}`)).body
    expect([stuck.hasMore, stuck.nextCursor]).toEqual([true, nextCursor])

    await control.createApiFault({ surface: 'events', fault: { kind: 'unknown_member' }, times: 1 })
    const strange = (await get('/v1/events')).body
    expect(strange).toHaveProperty('xUnknown')
    for (const event of strange.data) expect(event).toHaveProperty('xUnknown')

    const other = { kind: 'other_contract' } as const
    await control.createApiFault({ surface: 'account-events', fault: other, times: 1 })
    expect((await get('/v1/account-events')).body.contractVersion).toContain('2099')

    await control.createApiFault({ surface: 'events', fault: { kind: 'cut' }, times: 1 })
    await expect(get('/v1/events')).rejects.toThrow(TypeError)
    await control.createApiFault({ surface: 'events', fault: { kind: 'delay', ms: 50 }, times: 1 })
    const startedAt = performance.now()
    expect((await get('/v1/events')).status).toBe(200)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(49)
  })

  it('wait for a request that they have an effect on', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    await control.createApiFault({ surface: 'mcp', fault: { kind: 'null_cursor' }, times: 1 })
    const call = async (name: string, given: object) => {
      const params = { name, arguments: given }
      return (await mcpRequest(made(), ...modern(1, 'tools/call', params))).body.result
    }
    await mcpRequest(made(), ...modern(1, 'tools/list'))
    const { id } = await control.composeEvent({})
    const found = await call('get_change', { id })
    expect(found.structuredContent).not.toHaveProperty('nextCursor')
    expect(await call('list_changes', { limit: 0 })).toMatchObject({ isError: true })
    expect((await call('list_changes', {})).structuredContent.nextCursor).toBeNull()
    expect((await call('list_changes', {})).structuredContent.nextCursor).not.toBeNull()

    await control.createApiFault({ surface: 'events', fault: { kind: 'not_json' }, times: 1 })
    expect((await get('/v1/events?limit=0')).status).toBe(400)
    expect((await get('/v1/events')).text).toContain('<!doctype')
  })

  it.each<[string, unknown, McpRequestOptions?]>([
    ['that is no JSON', '{'],
    ['that is no request', { id: 7, method: 'ping' }],
    ['of another content type', 'a=b', { headers: { 'content-type': 'text/plain' } }],
    ['of an unknown revision', [], { headers: { 'mcp-protocol-version': 'x' } }],
    ['without an answer that it accepts', [], { headers: { accept: 'application/json' } }],
  ])('are not used up by a message to /mcp %s', async (_, body, options) => {
    const { control } = made().sandbox
    const fault = { kind: 'status', status: 503 } as const
    await control.createApiFault({ surface: 'mcp', fault, times: 1 })
    const { status } = await mcpRequest(made(), body, options)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    const call = modern(1, 'tools/call', { name: 'list_changes', arguments: {} })
    expect(await mcpRequest(made(), ...call)).toMatchObject({ status: 503 })
    expect(await control.listApiFaults()).toEqual([])
    expect(await mcpRequest(made(), ...call)).toMatchObject({ status: 200 })
  })

  it('are taken once by a request to /mcp in either era', async () => {
    const { control } = made().sandbox
    const params = { name: 'list_changes', arguments: {} }
    const legacy = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    for (const [body, options] of [[legacy], modern(1, 'tools/call', params)] as const) {
      await control.createApiFault({ surface: 'mcp', fault: { kind: 'not_json' }, times: 1 })
      expect((await mcpRequest(made(), body, options)).text).toContain('<!doctype')
      expect(
        (await mcpRequest(made(), body, options)).body.result.structuredContent.data,
      ).toBeDefined()
    }
  })

  it.each([
    ['account-event', { kind: 'null_cursor' }],
    ['account-event', { kind: 'stuck_cursor' }],
    ['events', { kind: 'other_contract' }],
    ['mcp', { kind: 'other_contract' }],
  ] as const)('are rejected at %s without an effect: %o', async (surface, fault) => {
    const { act, sandbox } = made()
    const answer = await act('create-api-fault', { surface, fault })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.body.error).toContain(`fault: ${fault.kind} has no effect on ${surface}`)
    await expect(sandbox.control.createApiFault({ surface, fault })).rejects.toMatchObject({
      reason: 'bad_parameter',
    })
    expect(await sandbox.control.listApiFaults()).toEqual([])
  })

  it.each([0, -1, 1.5, Number.NaN, 1e9])('are rejected for %d times', async (times) => {
    const { control } = made().sandbox
    const rule = { surface: 'events', fault: { kind: 'cut' }, times } as const
    await expect(control.createApiFault(rule)).rejects.toMatchObject({ reason: 'bad_parameter' })
    expect(await control.listApiFaults()).toEqual([])
  })

  it('are rejected after a permanent rule, not after a counted one', async () => {
    const { act, sandbox } = made()
    const rule = { surface: 'events', fault: { kind: 'cut' }, times: 1 } as const
    const { id: first } = await sandbox.control.createApiFault(rule)
    const { id } = await sandbox.control.createApiFault({ ...rule, times: undefined })
    const answer = await act('create-api-fault', rule)
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(answer.body.error).toContain(`Delete rule ${id} first`)
    const { id: other } = await sandbox.control.createApiFault({ ...rule, surface: 'mcp' })
    for (const one of [first, id, other]) await sandbox.control.deleteApiFault({ id: one })
  })

  it('are each used once by concurrent requests', async () => {
    const { get, sandbox } = made()
    const fault = { kind: 'status', status: 503 } as const
    await sandbox.control.createApiFault({ surface: 'events', fault, times: 5 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/v1/events')))
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(5)
  })
})
