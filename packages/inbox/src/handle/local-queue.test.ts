import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type HandlerContext, type Inbox } from '../index.ts'

const events = 200
const concurrency = 2

describe('jobs that a worker claims ahead', () => {
  const database = useDatabase('postgres', 'inbox')
  let sources = 0
  let source: string
  let inbox: Inbox

  beforeEach(async () => {
    source = `source${(sources += 1)}`
    inbox = await openInbox()
    for (let sent = 0; sent < events; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => inbox.accept(deliveryOf(makeEvent()))))
    }
  })

  it('go to another worker once they have waited for a quarter of a second', async () => {
    const { hanging } = await workUntilItHangs()
    expect(await countActive()).toBeGreaterThan(concurrency)
    await expect.poll(() => countActive(), { timeout: 2_000 }).toBe(concurrency)
    const other = await openInbox()
    const attempts: number[] = []
    await other.work({ '*': (_, { attempt }) => void attempts.push(attempt) }, { concurrency })
    await expect.poll(() => attempts.length).toBe(events - hanging)
    expect(new Set(attempts)).toEqual(new Set([1]))
  })

  it('begin no more after a pause', async () => {
    const { calls, release } = await workUntilItHangs()
    await inbox.pause({ reason: 'maintenance' })
    await expect.poll(() => countActive(), { timeout: 2_000 }).toBe(concurrency)
    const begun = calls.length
    release()
    await expect.poll(() => countActive()).toBe(0)
    await delay(600)
    expect(calls).toHaveLength(begun)
    await inbox.resume()
    await expect.poll(() => calls.length).toBe(events)
    expect(new Set(calls.map(({ attempt }) => attempt))).toEqual(new Set([1]))
  })

  it('are due again after a stop, with all their attempts', async () => {
    const { calls, release } = await workUntilItHangs()
    const stopping = inbox.stop()
    release()
    await stopping
    const { rows } = await database().query(
      `select state, retry_count as retries, count(*)::integer as jobs from feed_inbox.job
       where name = $1 group by 1, 2 order by 1`,
      [source],
    )
    const waiting = { state: 'created', retries: 0, jobs: events - calls.length }
    expect(rows).toEqual([waiting, { state: 'completed', retries: 0, jobs: calls.length }])
  })

  it('are no retries, which would lose an attempt if the process died', async () => {
    await database().query(
      `update feed_inbox.job set state = 'retry', retry_count = 1, started_on = now()
       where name = $1 and right(id::text, 1) < '8'`,
      [source],
    )
    const { release } = await workUntilItHangs()
    // Those that were claimed beyond the free handlers are due again by now.
    await delay(100)
    expect(await countActive('and retry_count > 1')).toBeLessThanOrEqual(concurrency)
    release()
    await expect.poll(() => countActive()).toBe(0)
  })

  async function openInbox(): Promise<Inbox> {
    const opened = createInbox({ database: database(), source })
    onTestFinished(() => opened.stop())
    await opened.start()
    return opened
  }

  /** Starts a worker whose handlers end at once, until all of them hang. */
  async function workUntilItHangs() {
    const calls: HandlerContext[] = []
    const handled = events / 2
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    onTestFinished(() => release())
    await inbox.work(
      {
        '*': async (_, context) => {
          if (calls.push(context) > handled) await released
        },
      },
      // A handler that hangs in a shared transaction would run again.
      { concurrency, shareTransactionMs: 0 },
    )
    const hanging = handled + concurrency
    while (calls.length < hanging) await delay(1)
    return { calls, release, hanging }
  }

  async function countActive(condition = ''): Promise<number> {
    const { rows } = await database().query<{ count: number }>(
      `select count(*)::integer as count from feed_inbox.job
       where name = $1 and state = 'active' ${condition}`,
      [source],
    )
    return rows[0]?.count ?? 0
  }
})
