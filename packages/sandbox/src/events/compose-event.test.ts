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
  ])('is rejected for an impossible time in %s', async (member, draft) => {
    expect((await made().act('compose-event', { incident })).status).toBe(200)
    const { status, body } = await made().act('compose-event', draft)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(`${member}: expected a time in the years 1 to 9999`)
  })

  it.each<[string, object]>([
    ['sourceUrl', { sourceUrl: 'https://example.com/ü' }],
    ['canonicalUrl', { canonicalUrl: 'https://' }],
    [
      'incident.root.sourceUrl',
      { incident: { ...incident, root: { ...incident.root, sourceUrl: 'https://a/{b}' } } },
    ],
    [
      'incident.timeline.0.sourceUrl',
      { incident: { ...incident, timeline: [{ ...step, sourceUrl: 'urn:\ud800' }] } },
    ],
  ])('is rejected for an invalid %s', async (member, draft) => {
    const { status, body } = await made().act('compose-event', draft)
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(`${member}: expected a`)
  })

  it('is rejected for an invalid URI in a correction', async () => {
    const { id } = await made().sandbox.control.composeEvent()
    const change = { to: 'correct', id, content: { sourceUrl: 'https://example.com/ü' } }
    expect((await made().act('change-event', change)).status).toBe(400)
    const correcting = made().sandbox.control.changeEvent({ ...change, to: 'correct' })
    await expect(correcting).rejects.toThrow('sourceUrl: expected an absolute URI')
    const composing = made().sandbox.control.composeEvent({ sourceUrl: 'no URI' })
    await expect(composing).rejects.toMatchObject({ reason: 'bad_parameter' })
  })

  it('is rejected beyond the last sequence of an incident', async () => {
    const draft = { providerSlug: 'far-on', eventType: 'outage_updated' }
    const last = { ...incident, id: 'inc_far', sequence: 2_147_483_647 }
    expect((await made().act('compose-event', { ...draft, incident: last })).status).toBe(200)
    const further = await made().act('compose-event', draft)
    expect([further.status, further.body.code]).toEqual([400, 'invalid_request'])
    const beyond = { ...last, sequence: 2_147_483_648 }
    expect((await made().act('compose-event', { incident: beyond })).status).toBe(400)
  })

  it.each(Object.getOwnPropertyNames(Object.prototype))('may have the type %s', async (name) => {
    const draft = { eventType: name, category: name, subjectKey: name, evidenceState: name }
    const { status, body } = await made().act('compose-event', draft)
    expect([status, body.data]).toEqual([200, expect.objectContaining(draft)])
    expect((await made().get('/v1/events?limit=1')).body.data).toEqual([body.data])
  })

  it('may be observed on the last possible day, without a countdown', async () => {
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
