import type { ApiEvent } from '@feed-receiver/client/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import { filledKinds } from '../../../../test/support/databases.ts'
import { useSandbox } from '../../test/use-sandbox.ts'

interface Page {
  data: ApiEvent[]
  nextCursor: string
  hasMore: boolean
}

describe.each(filledKinds)('pages with after on %s', (kind) => {
  const made = useSandbox({ historyDays: 30, firstCursor: 'replay' }, kind)
  beforeAll(() =>
    made().sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 1_000_000 }),
  )

  it('skip only events that share a time, at any page size [R23]', async () => {
    const all = await readAll()
    const found: ApiEvent[] = []
    for (let after = '0001-01-01T00:00:00Z'; ;) {
      const { data } = await page(`after=${after}&limit=10`)
      found.push(...data)
      const last = data.at(-1)
      if (!last) break
      after = last.firstObservedAt
    }
    const times = new Set(all.map(timeOf))
    expect(times.size).toBeGreaterThan(200)
    expect(new Set(found.map(timeOf))).toEqual(times)
    expect(found.map(timeOf)).toEqual(found.map(timeOf).toSorted((a, b) => a - b))
  })

  it('hold only later events, ordered by instant across offsets [R23]', async () => {
    const draft = { providerSlug: 'after-labs' }
    const times = [
      '2040-01-01T12:00:00+02:00',
      '2040-01-01T09:00:00.5-02:00',
      '2040-01-01T10:00:00Z',
      '2040-01-01T10:00:00.000001Z',
      '2040-01-01T09:59:59Z',
    ]
    for (const firstObservedAt of times) {
      await made().sandbox.control.composeEvent({ ...draft, firstObservedAt })
    }
    const { data, hasMore } = await page('provider=after-labs&after=2040-01-01T10:00:00Z')
    expect(data.map((event) => event.firstObservedAt)).toEqual([times[3], times[1]])
    expect(hasMore).toBe(false)
  })

  it('continue with the cursor without skipping a shared time', async () => {
    const { control } = made().sandbox
    const draft = { providerSlug: 'same-time', firstObservedAt: '2041-01-01T00:00:00Z' }
    for (const id of ['s1', 's2', 's3', 's4', 's5']) await control.composeEvent({ ...draft, id })
    const first = await page('provider=same-time&after=2040-06-01T00:00:00Z&limit=2')
    const second = await page(`provider=same-time&limit=2&cursor=${first.nextCursor}`)
    const third = await page(`provider=same-time&limit=2&cursor=${second.nextCursor}`)
    expect([first, second, third].map(({ data }) => idsOf(data))).toEqual([
      ['s1', 's2'],
      ['s3', 's4'],
      ['s5'],
    ])
  })

  it('lead by cursor to every event once, then to changes since', async () => {
    const { control } = made().sandbox
    const inOrder = (await readAll()).toSorted((a, b) => timeOf(a) - timeOf(b))
    const limit = inOrder.findIndex((event, index) => index > 50 && isChangeable(event)) + 1
    const firstPage = await page(`after=0001-01-01T00:00:00Z&limit=${limit}`)
    const edge = firstPage.data.at(-1)
    const seen = firstPage.data.filter(isChangeable).at(-4)
    const ahead = inOrder.filter(isChangeable).at(-20)
    // One that was given already, the one that the cursor stands at, one ahead, and a new one.
    const changed = [seen, edge, ahead].map((event) => event?.id ?? '')
    for (const id of changed) {
      await control.changeEvent({ to: 'correct', id, content: { title: 'Corrected' } })
    }
    await control.composeEvent({ id: 'came-since', firstObservedAt: '2001-01-01T00:00:00Z' })

    const rest: ApiEvent[] = []
    for (let { nextCursor: cursor, hasMore } = firstPage; hasMore;) {
      const next = await page(`limit=50&cursor=${cursor}`)
      expect(next.nextCursor).not.toBe(cursor)
      rest.push(...next.data)
      cursor = next.nextCursor
      hasMore = next.hasMore
    }
    expect(idsOf(rest).slice(-4)).toEqual([...changed, 'came-since'])
    const before = rest.slice(0, -4)
    expect(before.map(timeOf)).toEqual(before.map(timeOf).toSorted((a, b) => a - b))
    const once = [...firstPage.data, ...before].map(({ id }) => id)
    expect(new Set(once).size).toBe(once.length)
    expect(new Set([...once, ...idsOf(rest)])).toEqual(new Set(idsOf(await readAll())))
  })

  it('lead by cursor to all events after a reset', async () => {
    const { nextCursor } = await page('after=0001-01-01T00:00:00Z&limit=5')
    await made().sandbox.control.reset()
    let next = await page(`cursor=${nextCursor}`)
    const found = idsOf(next.data)
    while (next.hasMore) {
      next = await page(`limit=200&cursor=${next.nextCursor}`)
      found.push(...idsOf(next.data))
    }
    expect(new Set(found)).toEqual(new Set(idsOf(await readAll())))
  })

  async function page(query: string): Promise<Page> {
    const { status, body } = await made().get(`/v1/events?confirmation=all&${query}`)
    expect(status).toBe(200)
    return body
  }

  async function readAll(): Promise<ApiEvent[]> {
    const events: ApiEvent[] = []
    let next = await page('limit=1')
    do {
      next = await page(`limit=200&cursor=${next.nextCursor}`)
      events.push(...next.data)
    } while (next.hasMore)
    return events
  }
})

// A retracted event stays as it is.
function isChangeable({ retractedAt }: ApiEvent): boolean {
  return !retractedAt
}

function timeOf({ firstObservedAt }: ApiEvent): number {
  return Date.parse(firstObservedAt)
}

function idsOf(events: ApiEvent[]): string[] {
  return events.map(({ id }) => id)
}
