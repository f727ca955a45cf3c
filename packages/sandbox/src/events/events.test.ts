import type { ApiEvent } from '@feed-receiver/client/internal'
import { describe, expect, it } from 'vitest'
import { eventPageSchema } from '../../../client/test/answer-schemas.ts'
import { describeOnEach, embedded } from '../../../../test/support/databases.ts'
import { useSandbox, type TestSandbox } from '../../test/use-sandbox.ts'

describeOnEach('/v1/events on %s', (kind) => {
  const made = useSandbox({ historyDays: 0, firstCursor: 'replay' }, kind)

  it('returns a cursor for an empty feed [R108, R113]', async () => {
    const { get } = made()
    const { status, body } = await get('/v1/events')
    expect(status).toBe(200)
    expect(eventPageSchema.parse(body)).toMatchObject({ data: [], hasMore: false })
    expect(body.nextCursor).toMatch(/^[\w-]{32}$/)
    expect(await ids(made(), `?cursor=${body.nextCursor}`)).toEqual([])
  })

  it('lists newest first without a cursor, oldest first with one [R105, R106, R112]', async () => {
    const { get } = made()
    await compose(made(), ['a1', 'a2', 'a3', 'a4', 'a5'])
    const first = await get('/v1/events?limit=2')
    expect(idsOf(first.body.data)).toEqual(['a5', 'a4'])
    const second = await get(`/v1/events?limit=2&cursor=${first.body.nextCursor}`)
    expect(idsOf(second.body.data)).toEqual(['a1', 'a2'])
    expect(second.body.hasMore).toBe(true)
    const third = await get(`/v1/events?limit=3&cursor=${second.body.nextCursor}`)
    expect(idsOf(third.body.data)).toEqual(['a3', 'a4', 'a5'])
    expect(third.body.hasMore).toBe(false)
    expect(await ids(made(), `?cursor=${third.body.nextCursor}`)).toEqual([])
    await compose(made(), ['a6'])
    expect(await ids(made(), `?cursor=${third.body.nextCursor}`)).toEqual(['a6'])
  })

  it('filters by provider and type, and binds the cursor to them [R100]', embedded, async () => {
    const { get, sandbox } = made()
    const draft = { eventType: 'cli_update', providerSlug: 'tessera' }
    await sandbox.control.composeEvent({ ...draft, id: 'b1' })
    await sandbox.control.composeEvent({ ...draft, id: 'b2', providerSlug: 'lumen-labs' })
    expect(await ids(made(), '?type=cli_update')).toEqual(['b2', 'b1'])
    expect(await ids(made(), '?type=cli_update&provider=tessera')).toEqual(['b1'])
    expect(await ids(made(), '?provider=nobody-knows.this_one')).toEqual([])
    const { nextCursor } = (await get('/v1/events?type=cli_update&limit=1')).body
    expect(await ids(made(), `?type=cli_update&cursor=${nextCursor}`)).toEqual(['b1', 'b2'])
    expect(await get(`/v1/events?type=release_note&cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    // The default spelled out is the same filter.
    const spelled = `?type=cli_update&confirmation=confirmed&limit=7&cursor=${nextCursor}`
    expect(await ids(made(), spelled)).toEqual(['b1', 'b2'])
  })

  it(
    'selects the whole lifecycle with type=outage [R35, R41, R48, R94, R101]',
    embedded,
    async () => {
      const { control } = made().sandbox
      const providerSlug = 'kestrel-research'
      for (const eventType of ['outage_started', 'outage_updated', 'outage_resolved']) {
        await control.composeEvent({ id: eventType, eventType, providerSlug })
      }
      const { data } = (await made().get('/v1/events?type=outage')).body
      expect(idsOf(data)).toEqual(['outage_resolved', 'outage_updated', 'outage_started'])
      expect(await ids(made(), '?type=outage_updated')).toEqual(['outage_updated'])
      const steps = data.map(({ incident }: ApiEvent) => [
        incident?.sequence,
        incident?.phase,
        incident?.rootEventId,
        incident?.id === data[0].incident.id,
        incident?.timeline,
      ])
      expect(steps).toEqual([
        [3, 'resolved', 'outage_started', true, undefined],
        [2, 'updated', 'outage_started', true, undefined],
        [1, 'started', 'outage_started', true, undefined],
      ])
      const detailed = await control.findEvent({ id: 'outage_updated' })
      expect(detailed?.incident).toMatchObject({
        timelineTruncated: false,
        timeline: [{ sequence: 1 }, { sequence: 2 }, { sequence: 3, phase: 'resolved' }],
      })
    },
  )

  it('shows each timeline step in full, under a separate thread id [R39, R50]', async () => {
    const { control } = made().sandbox
    const providerSlug = 'ledger-labs'
    const first = await control.composeEvent({ eventType: 'outage_started', providerSlug })
    const last = await control.composeEvent({ eventType: 'outage_resolved', providerSlug })
    const threadId = first.incident?.id ?? ''
    expect(last.incident?.id).toBe(threadId)
    expect(await control.findEvent({ id: threadId })).toBeUndefined()
    const { incident } = (await control.findEvent({ id: last.id })) ?? {}
    // Absent and null are the same (R38).
    const steps = incident?.timeline?.map((step) => ({
      ...step,
      sourcePublishedAt: step.sourcePublishedAt ?? null,
    }))
    expect(steps).toEqual(
      [first, last].map((step, at) => ({
        id: step.id,
        eventType: step.eventType,
        phase: step.incident?.phase,
        sequence: at + 1,
        title: step.title,
        summary: step.summary,
        sourceUrl: step.sourceUrl,
        firstObservedAt: step.firstObservedAt,
        sourcePublishedAt: step.sourcePublishedAt ?? null,
        status: step.incident?.status,
      })),
    )
  })

  it('has a timeline in the details of an event only', async () => {
    const { control } = made().sandbox
    const first = await control.composeEvent({
      eventType: 'outage_started',
      providerSlug: 'thread',
    })
    const { incident } = (await control.findEvent({ id: first.id })) ?? {}
    expect(incident?.timeline).toHaveLength(1)
    const { id } = await control.composeEvent({ providerSlug: 'thread', incident })
    const { data } = (await made().get('/v1/events?provider=thread')).body
    expect(data[0]).toMatchObject({ id, incident: { id: incident?.id } })
    expect(data[0].incident).not.toHaveProperty('timeline')
    expect(data[0].incident).not.toHaveProperty('timelineTruncated')
  })

  it('corrects the root of an incident together with its event', async () => {
    const { control } = made().sandbox
    const { id } = await control.composeEvent({
      eventType: 'outage_started',
      providerSlug: 'roots',
    })
    const content = { title: 'Other title', summary: null }
    const { incident } = await control.changeEvent({ to: 'correct', id, content })
    expect(incident?.root).toMatchObject({ id, title: 'Other title', summary: null })
  })

  it('begins a new incident once the beginning of the last one is retracted', async () => {
    const { publish, retract } = outages(made(), 'retracted-root')
    const started = await publish('started')
    await publish('updated')
    await retract(started)
    const next = await publish('updated')
    expect(next.incident?.id).not.toBe(started.incident?.id)
    expect(next.incident).toMatchObject({ sequence: 1, rootEventId: next.id })
  })

  it.each(['updated', 'resolved'])(
    'continues an incident after a retracted outage_%s, with the next number',
    async (type) => {
      const { publish, retract } = outages(made(), `retracted-${type}`)
      const started = await publish('started')
      await retract(await publish(type))
      const next = await publish('updated')
      expect(next.incident).toMatchObject({ id: started.incident?.id, sequence: 3 })
      expect(next.incident?.resolvedAt).toBeNull()
    },
  )

  it('limits a timeline to its newest 100 steps [R49, R237]', async () => {
    const { control } = made().sandbox
    const draft = { providerSlug: 'northwind-ai', eventType: 'outage_updated' }
    const steps = []
    for (let step = 1; step <= 101; step += 1) steps.push(await control.composeEvent(draft))
    const detailed = await control.findEvent({ id: steps[0]?.id ?? '' })
    const { timeline, timelineTruncated } = detailed?.incident ?? {}
    expect([timeline?.length, timelineTruncated]).toEqual([100, true])
    expect([timeline?.[0]?.sequence, timeline?.at(-1)?.sequence]).toEqual([2, 101])
  })

  it(
    'lists early signals on request, and again once confirmed [R3, R95, R102, R217]',
    embedded,
    async () => {
      const { get, sandbox } = made()
      const { nextCursor } = (await get('/v1/events')).body
      const all = (await get('/v1/events?confirmation=all')).body
      const fromHere = async () => (await drain(made(), nextCursor)).at(-1)
      await sandbox.control.composeEvent({ id: 'c1', confirmationState: 'unconfirmed' })
      expect(await fromHere()).not.toBe('c1')
      expect((await drain(made(), all.nextCursor, '&confirmation=all')).at(-1)).toBe('c1')
      await compose(made(), ['c2'])
      await sandbox.control.changeEvent({ to: 'confirm', id: 'c1' })
      expect((await drain(made(), nextCursor)).slice(-2)).toEqual(['c2', 'c1'])
      await expect(sandbox.control.changeEvent({ to: 'confirm', id: 'c1' })).rejects.toThrow(
        'already confirmed',
      )
    },
  )

  it(
    'lists corrected and retracted events again, with the time [R29, R30, R37, R95]',
    embedded,
    async () => {
      const { get, sandbox } = made()
      await compose(made(), ['d1', 'd2', 'd3'])
      const { nextCursor } = (await get('/v1/events?provider=halcyon-cloud')).body
      const title = 'Put right'
      await sandbox.control.changeEvent({ to: 'correct', id: 'd1', content: { title } })
      await sandbox.control.changeEvent({ to: 'retract', id: 'd2' })
      const page = await get(`/v1/events?provider=halcyon-cloud&limit=200&cursor=${nextCursor}`)
      const [third, first, second] = page.body.data.slice(-3)
      expect(third).toMatchObject({ id: 'd3' })
      expect(first).toMatchObject({ id: 'd1', title, correctedAt: expect.any(String) })
      expect(second).toMatchObject({ id: 'd2', retractedAt: expect.any(String) })
      expect(idsOf(page.body.data).filter((id) => id === 'd1')).toHaveLength(1)
      await expect(sandbox.control.changeEvent({ to: 'retract', id: 'd2' })).rejects.toThrow(
        'already retracted',
      )
    },
  )

  it('still supports the deprecated after [R23, R103, R243]', embedded, async () => {
    const { get, sandbox } = made()
    await sandbox.control.moveClock({ to: 'freeze', at: '2031-01-01T00:00:00Z' })
    await compose(made(), ['e1'])
    await sandbox.control.moveClock({ to: 'advance', byMs: 1 })
    await compose(made(), ['e2', 'e3'])
    await sandbox.control.moveClock({ to: 'reset' })
    const answer = await get('/v1/events?after=2031-01-01T00:00:00.000Z')
    expect(idsOf(answer.body.data)).toEqual(['e2', 'e3'])
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/)
    expect(answer.headers.get('link')).toContain(
      `<${sandbox.url}/developers#after>; rel="deprecation"`,
    )
    const offset = encodeURIComponent('2031-01-01T01:00:00+01:00')
    expect(await ids(made(), `?after=${offset}&limit=1`)).toEqual(['e2'])
    expect((await get('/v1/events')).headers.get('deprecation')).toBeNull()
  })

  it('returns only known members, and limits benchmark to 50 [R12, R32, R237]', async () => {
    for (const eventType of ['model_release', 'benchmark_rank_changed', 'outage_started']) {
      const event = await made().sandbox.control.composeEvent({ eventType })
      expect(named).toEqual(expect.arrayContaining(Object.keys(event)))
    }
    await expect(
      made().sandbox.control.composeEvent({
        eventType: 'benchmark_rank_changed',
        benchmark: { current: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, at])) },
      }),
    ).rejects.toThrow('50')
  })
})

describe('the first page', () => {
  const made = useSandbox({ historyDays: 3 })

  it('leads to later events, or to all history if configured [R113]', async () => {
    const { get, sandbox } = made()
    const { body } = await get('/v1/events?limit=5')
    expect([body.data.length, body.hasMore]).toEqual([5, false])
    expect(await ids(made(), `?cursor=${body.nextCursor}`)).toEqual([])
    await sandbox.control.composeEvent({ id: 'next' })
    expect(await ids(made(), `?cursor=${body.nextCursor}`)).toEqual(['next'])
  })
})

async function compose({ sandbox }: TestSandbox, all: string[]): Promise<void> {
  for (const id of all) await sandbox.control.composeEvent({ id, providerSlug: 'halcyon-cloud' })
}

async function ids({ get }: TestSandbox, query: string): Promise<string[]> {
  return idsOf((await get(`/v1/events${query}`)).body.data)
}

async function drain({ get }: TestSandbox, from: string, filter = ''): Promise<string[]> {
  const found: string[] = []
  for (let cursor = from; ;) {
    const { body } = await get(`/v1/events?cursor=${cursor}${filter}`)
    found.push(...idsOf(body.data))
    if (!body.hasMore) return found
    cursor = body.nextCursor
  }
}

function idsOf(events: ApiEvent[]): string[] {
  return events.map(({ id }) => id)
}

const named = [
  'id',
  'providerSlug',
  'eventType',
  'category',
  'subjectType',
  'subjectKey',
  'title',
  'summary',
  'sourceUrl',
  'canonicalUrl',
  'evidenceState',
  'confirmationState',
  'firstObservedAt',
  'sourcePublishedAt',
  'sourceUpdatedAt',
  'sourcePublishedPrecision',
  'sourceUpdatedPrecision',
  'detectedVia',
  'correctedAt',
  'retractedAt',
  'benchmark',
  'incident',
]

/** Publishes and retracts steps of outages of one provider. */
function outages({ sandbox: { control } }: TestSandbox, providerSlug: string) {
  return {
    publish: (step: string) => control.composeEvent({ eventType: `outage_${step}`, providerSlug }),
    retract: ({ id }: { id: string }) => control.changeEvent({ to: 'retract', id }),
  }
}
