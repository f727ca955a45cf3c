import { once } from 'node:events'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { emptyInbox } from '../../../../test/support/empty-inbox.ts'
import { watchRuns } from './watch-runs.ts'

describe('the runs that dev prints', () => {
  const database = useDatabase('postgres', 'inbox')
  let inbox: Inbox
  let entries: Inbox['entries']

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    entries = inbox.entries
  })
  afterAll(() => inbox.stop())
  beforeEach(() => emptyInbox(database()))

  it('are printed once if they end after the list was read', async () => {
    const eventId = await store()
    let lists = 0
    const list: typeof entries.list = async (options) => {
      const page = await entries.list(options)
      lists += 1
      if (lists === 1) await inbox.drain({ '*': () => {} })
      return page
    }
    const { runs, twoPolls } = watch({ ...entries, list })
    await expect.poll(() => runs, { timeout: 10_000 }).toHaveLength(1)
    await twoPolls()
    expect(runs).toEqual([`${eventId} done`])
  })

  it('include a failure that was seen running, and a later one', async () => {
    const eventId = await store()
    let gets = 0
    const get: typeof entries.get = async (id) => {
      const entry = await entries.get(id)
      if (entry?.job?.state === 'running') gets += 1
      return entry
    }
    const released = new AbortController()
    const { signal } = released
    const worker = createInbox({ database: database() })
    await worker.start()
    onTestFinished(() => worker.stop())
    await worker.work({
      model_release: async () => {
        if (!signal.aborted) await once(signal, 'abort')
        throw new Error('The page cannot be sent.')
      },
    })
    const stateOf = async () => (await entries.get(eventId))?.job?.state
    await expect.poll(stateOf, { timeout: 10_000 }).toBe('running')
    const watched = watch({ ...entries, get }, { since: new Date() })
    await expect.poll(() => gets, { timeout: 10_000 }).toBeGreaterThan(0)
    await watched.twoPolls()
    released.abort()
    await expect.poll(() => watched.runs, { timeout: 10_000 }).toEqual([`${eventId} failed`])
    await watched.twoPolls()
    expect(watched.runs).toEqual([`${eventId} failed`])
    await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
    await expect.poll(() => watched.runs, { timeout: 20_000 }).toHaveLength(2)
    await watched.twoPolls()
    expect(watched.runs).toEqual([`${eventId} failed`, `${eventId} failed`])
  }, 60_000)

  it('are those that end after the start', async () => {
    const fails = () => {
      throw new Error('The page cannot be sent.')
    }
    await store()
    await inbox.drain({ '*': () => {} })
    const failed = await store()
    await inbox.drain({ '*': fails })
    const isFailed = async () => (await entries.get(failed))?.job?.state
    await expect.poll(isFailed).toBe('retrying')
    const watched = watch(entries, { since: new Date() })
    await watched.twoPolls()
    expect(watched.runs).toEqual([])
    const later = await store()
    await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
    await inbox.drain({ '*': fails })
    await expect.poll(() => watched.runs.length, { timeout: 10_000 }).toBeGreaterThan(1)
    await watched.twoPolls()
    expect(watched.runs.toSorted()).toEqual([`${failed} failed`, `${later} failed`].toSorted())
  })

  it('are not printed again if reading a later entry failed', async () => {
    const stored = [await store(), await store()]
    await inbox.drain({ '*': () => {} })
    let gets = 0
    const get: typeof entries.get = async (id) => {
      gets += 1
      if (gets === 2) throw new Error('Connection terminated unexpectedly')
      return await entries.get(id)
    }
    const reported = new Map<string, string>()
    const first = watch({ ...entries, get }, { reported })
    await expect(first.ended).rejects.toThrow('Connection terminated')
    expect(first.runs).toHaveLength(1)
    const second = watch(entries, { reported })
    await second.twoPolls()
    expect([...first.runs, ...second.runs].toSorted()).toEqual(
      stored.map((eventId) => `${eventId} done`).toSorted(),
    )
  })

  async function store(): Promise<string> {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    return event.id
  }
})

/** Watches until the test ends. `twoPolls` resolves once one more poll has begun and ended. */
function watch(
  entries: Inbox['entries'],
  { reported = new Map<string, string>(), since = new Date(0) } = {},
) {
  const runs: string[] = []
  let polls = 0
  const list: typeof entries.list = (options) => {
    polls += 1
    return entries.list(options)
  }
  const stopping = new AbortController()
  const ended = watchRuns(
    { entries: { ...entries, list } },
    {
      onRun: ({ eventId, state }) => void runs.push(`${eventId} ${state}`),
      since,
      reported,
      signal: stopping.signal,
    },
  )
  onTestFinished(async () => {
    stopping.abort()
    await ended.catch(() => undefined)
  })
  return { runs, ended, twoPolls }

  async function twoPolls(): Promise<void> {
    const before = polls
    await expect.poll(() => polls, { timeout: 20_000 }).toBeGreaterThan(before + 1)
  }
}
