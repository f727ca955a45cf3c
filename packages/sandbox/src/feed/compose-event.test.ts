import { describe, expect, it } from 'vitest'
import { mcpRequest, modern } from '../../test/mcp-request.ts'
import { useSandbox } from '../../test/use-sandbox.ts'

describe('a draft of an event', () => {
  const made = useSandbox({ historyDays: 0 })
  const impossible = '0000-01-01T00:00:00Z'
  const incident = {
    id: 'inc_1',
    rootEventId: 'evt_1',
    phase: 'started',
    sequence: 1,
    receiptCount: 1,
    status: 'open',
    startedAt: null,
    updatedAt: null,
    resolvedAt: null,
    root: {
      id: 'evt_1',
      title: 'An outage',
      summary: null,
      sourceUrl: 'https://example.com/1',
      firstObservedAt: '2026-09-01T12:00:00Z',
    },
  }
  const step = { ...incident.root, eventType: 'outage_started', phase: 'started', sequence: 1 }

  it.each<[string, object]>([
    ['firstObservedAt', { firstObservedAt: impossible }],
    ['sourcePublishedAt', { sourcePublishedAt: impossible }],
    ['sourceUpdatedAt', { sourceUpdatedAt: impossible }],
    ['correctedAt', { correctedAt: impossible }],
    ['retractedAt', { retractedAt: impossible }],
    ['startedAt', { incident: { ...incident, startedAt: impossible } }],
    ['updatedAt', { incident: { ...incident, updatedAt: impossible } }],
    ['resolvedAt', { incident: { ...incident, resolvedAt: impossible } }],
    [
      'firstObservedAt',
      { incident: { ...incident, root: { ...incident.root, firstObservedAt: impossible } } },
    ],
    [
      'firstObservedAt',
      { incident: { ...incident, timeline: [{ ...step, firstObservedAt: impossible }] } },
    ],
    [
      'sourcePublishedAt',
      { incident: { ...incident, timeline: [{ ...step, sourcePublishedAt: impossible }] } },
    ],
  ])('is rejected for a time that there is not in %s', async (member, draft) => {
    expect((await made().act('compose-event', { incident })).status).toBe(200)
    const { status, body } = await made().act('compose-event', draft)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(`${member}: expected a time within the years 1 to 9999`)
  })

  it.each(Object.getOwnPropertyNames(Object.prototype))('may be of the type %s', async (name) => {
    const draft = { eventType: name, category: name, subjectKey: name, evidenceState: name }
    const { status, body } = await made().act('compose-event', draft)
    expect([status, body.data]).toEqual([200, expect.objectContaining(draft)])
    expect((await made().get('/v1/events?limit=1')).body.data).toEqual([body.data])
  })

  it('may be of the last day that there is, and a countdown from there is left out', async () => {
    const { status, body } = await made().act('compose-event', {
      eventType: 'model_deprecated',
      providerSlug: 'northwind-ai',
      subjectType: 'model',
      subjectKey: 'northwind-ai/zephyr-3',
      evidenceState: 'documented',
      firstObservedAt: '9999-12-31T23:59:59.999999Z',
    })
    expect(status).toBe(200)
    const listed = await made().get('/v1/events?after=9999-12-31T00:00:00Z')
    expect(listed.body.data).toEqual([body.data])
    const [request, options] = modern(1, 'tools/call', { name: 'get_deprecations', arguments: {} })
    const { result } = (await mcpRequest(made(), request, options)).body
    const [fact] = result.structuredContent.data
    expect(fact).toMatchObject({ fact: 'deprecated', announcedAt: '9999-12-31T23:59:59.999999Z' })
    expect(fact).not.toHaveProperty('effectiveAt')
  })
})
