import { createClient, createPoller, type ClientOptions } from '@feed-receiver/client'
import { createInbox } from '@feed-receiver/inbox'
import type { ApiFault } from '@feed-receiver/sandbox'
import { virtualClock } from '@feed-receiver/sender/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { startProxy, type Meddle } from '../faults/proxy.ts'
import { useDatabase } from '../../support/databases.ts'
import { feedIds } from '../../integration/feed-ids.ts'

const start = Date.parse('2026-12-10T12:00:00Z')
const hour = 3_600_000
const day = 24 * hour

const faults: Record<string, ApiFault> = {
  'a 500': { kind: 'status', status: 500 },
  'a 503': { kind: 'status', status: 503 },
  'a late response': { kind: 'delay', ms: 1_500 },
  'a truncated body': { kind: 'cut' },
  'an error page of a proxy': { kind: 'not_json' },
  'an unknown member': { kind: 'unknown_member' },
  'no cursor': { kind: 'null_cursor' },
  'a stuck cursor': { kind: 'stuck_cursor' },
}
const places = [
  { where: 'a page after the head', pagesBefore: 1, times: 1 },
  { where: 'the head', pagesBefore: 0, times: 1 },
  { where: 'eight requests in a row', pagesBefore: 1, times: 8 },
]

const networks: Record<string, Meddle> = {
  // All later bytes on such a connection wait as well.
  'sockets that hang': () => new Promise(() => {}),
  'resets instead of responses': ({ cut }) => cut(),
  'truncated bodies'({ bytes, forward, cut }) {
    forward(bytes.subarray(0, bytes.length / 2))
    setImmediate(cut)
  },
}

describe('between the sandbox and a poller', () => {
  const made = useSandbox({
    historyDays: 40,
    historyEndsAt: new Date(start),
    firstCursor: 'replay',
  })
  const database = useDatabase('postgres', 'inbox')
  let sources = 0

  /** A poller, and a feed without limits and faults. */
  async function openPoller(options: Partial<ClientOptions> = {}) {
    const { sandbox, key } = made()
    const { control } = sandbox
    for (const { id } of await control.listApiFaults()) await control.deleteApiFault({ id })
    await control.changeAccount({ id: 'acct_sandbox', usageLimit: 100_000, burstLimit: 120 })
    await control.moveClock({ to: 'freeze', at: new Date(start - day).toISOString() })
    await control.moveClock({ to: 'freeze', at: new Date(start).toISOString() })

    // One schema for all, because creating another one takes longer than most faults.
    sources += 1
    const source = `faults-${sources}`
    const inbox = createInbox({ database: database(), source })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const clock = virtualClock({ start })
    const alerts: string[] = []
    const client = createClient({
      baseUrl: sandbox.url,
      apiKey: key,
      clock,
      timeoutMs: 1_000,
      ...options,
    })
    const poller = createPoller({ client, inbox, onAlert: ({ code }) => alerts.push(code) })
    onTestFinished(() => poller.stop())
    /** Advances the time of both sides. */
    const pass = async (stepMs = hour / 2) => {
      const at = new Date(clock.now() + stepMs).toISOString()
      await control.moveClock({ to: 'freeze', at })
      await clock.advance(stepMs)
    }
    /** Until all events are read. */
    const catchUp = async (stepMs = hour / 2) => {
      const feed = await feedIds(control)
      const ids = async () => {
        await pass(stepMs)
        return await idsIn()
      }
      await expect.poll(ids, { timeout: 25_000, interval: 10 }).toEqual(feed)
      const handled: string[] = []
      await inbox.drain({ '*': (event) => handled.push(event.id) }, { forMs: 120_000 })
      expect(handled.toSorted()).toEqual(feed)
    }
    return { control, inbox, client, poller, alerts, pass, catchUp, idsIn, loseCursor }

    async function idsIn(): Promise<string[]> {
      const { rows } = await database().query<{ id: string }>(
        'select event_id as id from feed_inbox.entry where source = $1',
        [source],
      )
      return rows.map(({ id }) => id).toSorted()
    }

    async function loseCursor(): Promise<void> {
      await database().query(
        "update feed_inbox.poll_stream set cursor = 'of another time' where source = $1",
        [source],
      )
    }
  }

  describe.each(places)('at $where', ({ pagesBefore, times }) => {
    it.each(Object.entries(faults))(
      '%s leaves the stored feed complete and exact [R12, R120, R121, R223]',
      async (_, fault) => {
        const { control, poller, pass, catchUp, idsIn } = await openPoller()
        if (pagesBefore > 0) {
          // The head is stored, and the pages after it are not.
          await control.createApiFault({
            surface: 'events',
            fault: { kind: 'null_cursor' },
            times: 1,
          })
          await poller.poll()
          expect(await idsIn()).toHaveLength(50)
        }
        await control.createApiFault({ surface: 'events', fault, times })
        await poller.start()
        const rules = async () => {
          await pass()
          return await control.listApiFaults()
        }
        await expect.poll(rules, { timeout: 25_000, interval: 10 }).toEqual([])
        await catchUp()
      },
    )
  })

  it.each([
    { scope: 'burst', limits: { burstLimit: 1 }, stepMs: 10_000 },
    { scope: 'usage_period', limits: { usageLimit: 2 }, stepMs: day },
  ])(
    '429 with the scope $scope leaves the stored feed complete and exact [R222]',
    async ({ scope, limits, stepMs }) => {
      const { control, client, poller, catchUp } = await openPoller()
      await control.changeAccount({ id: 'acct_sandbox', ...limits })
      await poller.start()
      await expect.poll(() => client.rateLimit.blocked?.scope).toBe(scope)
      await catchUp(stepMs)
    },
  )

  it.each(Object.entries(networks))(
    '%s leave the stored feed complete and exact [R223]',
    async (_, meddle) => {
      const proxy = await startProxy(() => [Number(new URL(made().sandbox.url).port)])
      onTestFinished(() => proxy.close())
      const baseUrl = `http://127.0.0.1:${proxy.port}`
      const { poller, catchUp } = await openPoller({ baseUrl })
      let spoiled = 0
      proxy.meddle((passing) => {
        if (passing.way === 'up' || spoiled === 3) return passing.forward(passing.bytes)
        spoiled += 1
        return meddle(passing)
      })
      await poller.start()
      await catchUp()
      expect(spoiled).toBe(3)
    },
  )

  it('a rejected cursor leaves the stored feed complete and exact, and is reported', async () => {
    const { inbox, poller, alerts, catchUp, loseCursor } = await openPoller()
    await poller.poll()
    await loseCursor()
    await poller.start()
    await catchUp()
    expect(alerts).toEqual(['cursor_lost'])
    expect(await inbox.gaps.streams()).toHaveLength(1)
  })

  it('account events with an unknown contract are rejected, and block nothing else [R135]', async () => {
    const { control, client, poller, catchUp } = await openPoller()
    const fault = { kind: 'other_contract' } as const
    await control.createApiFault({ surface: 'account-events', fault, times: 1 })
    const rejected = client.accountEventPage()
    await expect(rejected).rejects.toMatchObject({ code: 'unknown_contract' })
    await poller.start()
    await catchUp()
    expect((await client.accountEventPage()).items).not.toEqual([])
  })
})
