import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { databaseKinds, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

const forMs = 200

describe.each(databaseKinds)('a drain whose time is up on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')

  beforeAll(async () => {
    await database().query('create table effect (event_id text not null, attempt integer)')
  })

  it('waits for what it has begun, which no other worker gets meanwhile', async () => {
    const drained = await startInbox()
    const other = await startInbox()
    const [quick, slow] = [makeEvent(), makeEvent()]
    for (const event of [quick, slow]) await drained.accept(deliveryOf(event))
    const [quickEnds, slowEnds] = [createGate(), createGate()]
    const begunAt: number[] = []
    let isAborted = false
    const draining = drained.drain(
      {
        '*': async ({ id }, { tx, signal, attempt }) => {
          begunAt.push(performance.now())
          signal.addEventListener('abort', () => (isAborted = true))
          await (id === slow.id ? slowEnds : quickEnds).opened
          await tx.query('insert into effect values ($1, $2)', [id, attempt])
        },
      },
      { forMs, concurrency: 2 },
    )
    await expect.poll(() => begunAt.length).toBe(2)
    await expect.poll(() => performance.now() - Math.max(...begunAt)).toBeGreaterThan(forMs)
    // With this one ended it sees that its time is up, while the other one still runs.
    quickEnds.open()
    await expect.poll(async () => (await drained.entries.get(quick.id))?.state).toBe('done')

    // Whatever the other worker might get is due now, and it gets all else that comes.
    const seen: string[] = []
    await other.work({ '*': ({ id }) => seen.push(id) })
    for (let n = 0; n < 3; n += 1) {
      await database().query(`update feed_inbox.job set start_after = now()
        where state in ('created', 'retry')`)
      const event = makeEvent()
      await other.accept(deliveryOf(event))
      await expect.poll(() => seen).toContain(event.id)
    }
    expect(seen).not.toContain(slow.id)
    expect(isAborted).toBe(false)
    expect(await drained.entries.get(slow.id)).toMatchObject({
      state: 'received',
      job: { state: 'running', attempts: 1, lastError: null },
    })

    slowEnds.open()
    expect(await draining).toEqual({ handled: 2, failed: 0, isEmpty: false })
    expect(await drained.entries.get(slow.id)).toMatchObject({ state: 'done' })
    const { rows } = await database().query('select attempt from effect where event_id = $1', [
      slow.id,
    ])
    expect(rows).toEqual([{ attempt: 1 }])
  })

  it('begins nothing that comes after it', async () => {
    const inbox = await startInbox()
    const [slow, late] = [makeEvent(), makeEvent()]
    await inbox.accept(deliveryOf(slow))
    const calls: string[] = []
    let begunAt = Number.POSITIVE_INFINITY
    const slowEnds = createGate()
    const draining = inbox.drain(
      {
        '*': async ({ id }) => {
          calls.push(id)
          begunAt = performance.now()
          await slowEnds.opened
        },
      },
      { forMs, concurrency: 1 },
    )
    await expect.poll(() => calls).toEqual([slow.id])
    await inbox.accept(deliveryOf(late))
    await expect.poll(() => performance.now() - begunAt).toBeGreaterThan(forMs)
    slowEnds.open()
    expect(await draining).toEqual({ handled: 1, failed: 0, isEmpty: false })
    expect(calls).toEqual([slow.id])
    expect(await inbox.entries.get(late.id)).toMatchObject({ job: { state: 'waiting' } })
    expect(await inbox.drain({ '*': () => {} })).toEqual({ handled: 1, failed: 0, isEmpty: true })
  })

  async function startInbox(): Promise<Inbox> {
    const inbox = createInbox({ database: database() })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }
})

/** What a handler waits for; open at the latest when its test is over. */
function createGate(): { opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  onTestFinished(() => open())
  return { opened, open: () => open() }
}
