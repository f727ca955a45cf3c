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
    const { runs } = watch({ ...entries, list })
    await expect.poll(() => lists, { timeout: 10_000 }).toBeGreaterThan(2)
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
    const { runs } = watch({ ...entries, get })
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
    await expect.poll(() => gets, { timeout: 10_000 }).toBeGreaterThan(0)
    released.abort()
    await expect.poll(() => runs, { timeout: 10_000 }).toEqual([`${eventId} failed`])
    await database().query(`update feed_inbox.job set start_after = now() where state = 'retry'`)
    await expect
      .poll(() => runs, { timeout: 20_000 })
      .toEqual([`${eventId} failed`, `${eventId} failed`])
  }, 60_000)

  it('are not printed again if reading a later entry failed', async () => {
    const stored = [await store(), await store()]
    await inbox.drain({ '*': () => {} })
    let gets = 0
    const get: typeof entries.get = async (id) => {
      gets += 1
      if (gets === 2) throw new Error('Connection terminated unexpectedly')
      return await entries.get(id)
    }
    const told = new Map<string, string>()
    const first = watch({ ...entries, get }, told)
    await expect(first.ended).rejects.toThrow('Connection terminated')
    expect(first.runs).toHaveLength(1)
    const second = watch(entries, told)
    await expect.poll(() => second.runs, { timeout: 10_000 }).toHaveLength(1)
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

/** Watches until the test ends. */
function watch(entries: Inbox['entries'], told = new Map<string, string>()) {
  const runs: string[] = []
  const stopping = new AbortController()
  const ended = watchRuns(
    { entries },
    {
      onRun: ({ eventId, state }) => void runs.push(`${eventId} ${state}`),
      since: new Date(0),
      told,
      signal: stopping.signal,
    },
  )
  onTestFinished(async () => {
    stopping.abort()
    await ended.catch(() => undefined)
  })
  return { runs, ended }
}
