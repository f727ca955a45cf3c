import { apiEventSchema, type ApiEvent } from '@feed-receiver/client/internal'
import { knownTypes } from '@feed-receiver/core/internal'
import { describe, expect, it } from 'vitest'
import { createTarget } from '../../../../test/support/databases.ts'
import { startSandbox, useSandbox } from '../../test/use-sandbox.ts'
import { drawHistory, drawOutage } from './draw-history.ts'
import { seededRandom } from './random.ts'

const end = new Date('2026-11-01T00:00:00Z')

describe('the history of a new sandbox', () => {
  const made = useSandbox({ firstCursor: 'replay', historyEndsAt: end })

  it('has every known type, an unknown one, and ordered incidents [R43, R209, R210, R213]', async () => {
    const events = await readAll(made().get)
    const types = new Set(events.map(({ eventType }) => eventType))
    const expected = knownTypes.filter((type) => type !== 'destination_test')
    expect([...types]).toEqual(expect.arrayContaining([...expected]))
    // And model_deprecated, which facts about models need.
    expect(types.size).toBe(expected.length + 2)
    expect(types).not.toContain('destination_test')

    const threads = new Map<string, number[]>()
    for (const { incident } of events) {
      if (!incident) continue
      threads.set(incident.id, [...(threads.get(incident.id) ?? []), incident.sequence])
    }
    expect(threads.size).toBeGreaterThanOrEqual(2)
    for (const places of threads.values()) {
      expect(places).toEqual(places.map((_, at) => at + 1))
    }
  })

  it('has early signals, corrections, retractions, null and absent members [R1, R11, R34, R38]', async () => {
    const events = await readAll(made().get)
    const some = (test: (event: ApiEvent) => unknown) =>
      events.some((event) => Boolean(test(event)))
    expect(some(({ correctedAt }) => correctedAt)).toBe(true)
    expect(some(({ retractedAt }) => retractedAt)).toBe(true)
    expect(some(({ confirmationState }) => confirmationState === 'unconfirmed')).toBe(true)
    expect(some(({ sourcePublishedPrecision }) => sourcePublishedPrecision === 'date')).toBe(true)
    expect(some(({ sourcePublishedAt }) => sourcePublishedAt === null)).toBe(true)
    expect(some((event) => !('sourcePublishedAt' in event))).toBe(true)
    expect(some(({ benchmark }) => benchmark?.previous)).toBe(true)
    for (const event of events) {
      expect(apiEventSchema.safeParse(event).error).toBeUndefined()
      expect(event.benchmark === undefined || event.subjectType === 'benchmark').toBe(true)
    }
  })

  it('has every optional member present, null and absent [R38]', async () => {
    const events: Record<string, unknown>[] = (await readAll(made().get)).map((event) => ({
      ...event,
    }))
    const benchmarks = events.flatMap(({ benchmark }) => (isObject(benchmark) ? [benchmark] : []))
    for (const [all, names, hasNull] of [
      [events, ['category', 'benchmark', 'incident'], false],
      [events, nullable, true],
      [benchmarks, ['current', 'previous'], true],
    ] as const) {
      for (const name of names) {
        const forms = new Set(all.map((one) => formOf(one, name)))
        expect([name, ...[...forms].toSorted()]).toEqual([
          name,
          'absent',
          ...(hasNull ? ['null'] : []),
          'value',
        ])
      }
    }
    const precisions = new Set(
      events.map((event) => event['sourceUpdatedAt'] && event['sourceUpdatedPrecision']),
    )
    expect([...precisions]).toEqual(expect.arrayContaining(['timestamp', 'date', null, undefined]))
  })

  it('has incidents in every phase, and timelines with optional members [R42]', async () => {
    const { control } = made().sandbox
    const steps = (await readAll(made().get)).filter(({ incident }) => incident)
    const phases = new Set(steps.map(({ incident }) => incident?.phase))
    expect([...phases].toSorted()).toEqual(['context', 'resolved', 'started', 'updated'])
    const forms = new Set<string>()
    for (const { id } of steps) {
      const { incident } = (await control.findEvent({ id })) ?? {}
      for (const item of incident?.timeline ?? []) forms.add(formOf(item, 'sourcePublishedAt'))
    }
    expect([...forms].toSorted()).toEqual(['absent', 'null', 'value'])
  })

  it('has a source incident id only if the source URL shows it [R40]', () => {
    const drawn = Array.from({ length: 40 }, (_, seed) =>
      drawOutage(seededRandom(`outage ${seed}`), { at: end }),
    )
    const named = drawn.filter(({ incident }) => incident?.sourceIncidentId !== undefined)
    expect(named.length).toBeGreaterThan(0)
    expect(named.length).toBeLessThan(drawn.length)
    for (const { incident, sourceUrl } of named) {
      expect(sourceUrl.split('/').at(-1)).toBe(incident?.sourceIncidentId)
    }
  })

  it('has private events of every type [R58]', async () => {
    const { body } = await made().get('/v1/account-events?limit=100')
    const types = new Set(body.data.map(({ type }: { type: string }) => type))
    expect(types.size).toBe(5)
    const states = new Set(
      body.data.map((event: { integrityState: string }) => event.integrityState),
    )
    expect([...states].toSorted()).toEqual(['active', 'corrected', 'retracted'])
  })
})

describe('a seed', () => {
  it('generates the same history, and another seed a different one', () => {
    const draw = (seed: string) => drawHistory(seededRandom(seed), { end, days: 30 })
    expect(draw('one')).toEqual(draw('one'))
    expect(draw('one')).not.toEqual(draw('two'))
  })

  it('generates the same sandbox, including references', async () => {
    const contents = await Promise.all(
      ['one', 'one', 'two'].map(async (seed) => {
        const { target, drop } = await createTarget('postgres')
        const { sandbox } = await startSandbox({ database: target, seed, historyEndsAt: end })
        const { events, accountEvents, changes } = await sandbox.control.export()
        await sandbox.stop()
        await drop()
        return { events, accountEvents, changes }
      }),
    )
    expect(contents[1]).toEqual(contents[0])
    expect(contents[2]).not.toEqual(contents[0])
  })

  it('fills a sandbox once across restarts and concurrent starts', async () => {
    const { target, drop } = await createTarget('postgres')
    const options = { database: target, firstCursor: 'replay' as const }
    const [first, second] = await Promise.all([startSandbox(options), startSandbox(options)])
    const events = await readAll(first.get)
    expect(await readAll(second.get)).toEqual(events)
    await first.sandbox.stop()
    await first.sandbox.start()
    expect(await readAll(first.get)).toEqual(events)
    await Promise.all([first.sandbox.stop(), second.sandbox.stop()])
    await drop()
  })
})

describe('a ticking feed', () => {
  const made = useSandbox({ historyDays: 0, tickSeconds: 1 })

  it('publishes events by itself', async () => {
    const count = async () =>
      (await made().get('/v1/events?confirmation=all&limit=200')).body.data.length
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(1)
  })

  it('publishes no id again after a reset, because an app has stored it', async () => {
    const { control } = made().sandbox
    const list = async () => (await control.listEvents()).map(({ id }) => id)
    await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBeGreaterThan(1)
    const before = await list()
    await control.reset()
    await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBeGreaterThan(1)
    expect((await list()).filter((id) => before.includes(id))).toEqual([])
  }, 50_000)
})

const nullable = [
  'subjectType',
  'subjectKey',
  'summary',
  'canonicalUrl',
  'sourcePublishedAt',
  'sourceUpdatedAt',
  'sourcePublishedPrecision',
  'sourceUpdatedPrecision',
  'detectedVia',
  'correctedAt',
  'retractedAt',
]

function formOf(one: object, name: string): 'absent' | 'null' | 'value' {
  if (!Object.hasOwn(one, name)) return 'absent'
  return Reflect.get(one, name) === null ? 'null' : 'value'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

async function readAll(
  get: (path: string) => Promise<{ body: { data: ApiEvent[]; nextCursor: string } }>,
): Promise<ApiEvent[]> {
  const { body } = await get('/v1/events?confirmation=all')
  const events: ApiEvent[] = []
  for (let cursor = body.nextCursor; ;) {
    const path = `/v1/events?confirmation=all&limit=200&cursor=${cursor}`
    const page = (await get(path)).body as typeof body & { hasMore: boolean }
    events.push(...page.data)
    if (!page.hasMore) return events
    cursor = page.nextCursor
  }
}
