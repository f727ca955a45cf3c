import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Handlers, type Inbox } from '../index.ts'

describeOnEach('the claims of a worker on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  beforeAll(async () => {
    await using inbox = createInbox({ database: database() })
    await inbox.start()
  })

  // With all slots taken, a worker claims nothing, and a drain claims nothing while it waits.
  // So only the last heartbeat can cause the next one.
  it.each([
    [
      'a worker without free slots',
      (inbox: Inbox, handlers: Handlers) => inbox.work(handlers, { concurrency: 2 }),
    ],
    [
      'a drain that waits for its last handlers',
      (inbox: Inbox, handlers: Handlers) => inbox.drain(handlers, { concurrency: 2 }),
    ],
  ])('are renewed repeatedly by %s', async (_, begin) => {
    const { inbox, source } = await startInbox()
    // The claim contains the heartbeat interval. pg-boss itself allows at least 10 seconds.
    await database().query('update feed_inbox.queue set heartbeat_seconds = 1 where name = $1', [
      source,
    ])
    const calls: string[] = []
    const aborted: string[] = []
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    onTestFinished(() => release())
    const events = [makeEvent(), makeEvent()]
    for (const event of events) await inbox.accept(deliveryOf(event))
    const begun = begin(inbox, {
      '*': async ({ id }, { signal }) => {
        calls.push(id)
        signal.addEventListener('abort', () => aborted.push(id))
        await released
      },
    })
    await expect.poll(() => calls.length).toBe(2)
    // Set only now, so that a busy machine loses no claim before.
    await database().query('update feed_inbox.job set heartbeat_seconds = 600 where name = $1', [
      source,
    ])
    const signs = new Map<string, Set<number>>()
    const leastSigns = async () => {
      for (const { id, at } of await signsOfLife(source)) {
        signs.set(id, (signs.get(id) ?? new Set()).add(at))
      }
      return Math.min(...[...signs.values()].map(({ size }) => size))
    }
    await expect.poll(leastSigns).toBeGreaterThanOrEqual(5)
    expect(signs.size).toBe(2)
    release()
    for (const { id } of events) {
      await expect.poll(async () => (await inbox.entries.get(id))?.state).toBe('done')
    }
    await begun
    expect(calls.toSorted()).toEqual(events.map(({ id }) => id).toSorted())
    expect(aborted).toEqual([])
  })

  it(
    'are reported when they cannot be renewed, and are renewed as soon as possible',
    embedded,
    async () => {
      const errors: unknown[] = []
      const { inbox, source } = await startInbox((error) => errors.push(error))
      await database().query('update feed_inbox.queue set heartbeat_seconds = 1 where name = $1', [
        source,
      ])
      let begun = false
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      onTestFinished(() => release())
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      const draining = inbox.drain({
        '*': async () => {
          begun = true
          await released
        },
      })
      await expect.poll(() => begun).toBe(true)
      await database().query('update feed_inbox.job set heartbeat_seconds = 600 where name = $1', [
        source,
      ])
      await database().query('alter table feed_inbox.job_common rename to job_away')
      await expect.poll(() => errors.length).toBeGreaterThan(1)
      await database().query('alter table feed_inbox.job_away rename to job_common')
      const [before] = await signsOfLife(source)
      const later = async () => (await signsOfLife(source))[0]?.at
      await expect.poll(later).toBeGreaterThan(before?.at ?? 0)
      release()
      expect(await draining).toEqual({ handled: 1, failed: 0, isEmpty: true })
    },
  )

  async function startInbox(
    onError?: (error: unknown) => unknown,
  ): Promise<{ inbox: Inbox; source: string }> {
    sources += 1
    const source = `source${sources}`
    const inbox = createInbox({ database: database(), source, ...(onError && { onError }) })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return { inbox, source }
  }

  async function signsOfLife(source: string): Promise<{ id: string; at: number }[]> {
    const { rows } = await database().query<{ id: string; at: Date }>(
      `select id, heartbeat_on as at from feed_inbox.job
       where name = $1 and state = 'active' and retry_count = 0`,
      [source],
    )
    return rows.map(({ id, at }) => ({ id, at: at.getTime() }))
  }
})
