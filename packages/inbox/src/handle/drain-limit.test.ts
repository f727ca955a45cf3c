import { PgBoss } from 'pg-boss'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

const forMs = 200

describeOnEach('a drain that timed out on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')

  beforeAll(async () => {
    await database().query('create table effect (event_id text not null, attempt integer)')
  })

  it('waits for running handlers, which no other worker claims meanwhile', embedded, async () => {
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
    // After this one it sees the timeout, while the other one still runs.
    quickEnds.open()
    await expect.poll(async () => (await drained.entries.get(quick.id))?.state).toBe('done')

    // The other worker could claim everything now, and it gets each later event.
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

  it('starts no event that arrives later', async () => {
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

  it('reports an error of its supervision that comes later', async () => {
    const errors: unknown[] = []
    const inbox = await startInbox((error) => errors.push(error))
    const late = createGate()
    vi.spyOn(PgBoss.prototype, 'supervise').mockImplementation(async () => {
      await late.opened
      throw new Error('late')
    })
    onTestFinished(() => void vi.restoreAllMocks())
    await inbox.drain({ '*': () => {} })
    expect(errors).toEqual([])
    late.open()
    await expect.poll(() => errors).toMatchObject([{ message: 'late' }])
  })

  async function startInbox(onError = (_error: unknown) => {}): Promise<Inbox> {
    const inbox = createInbox({ database: database(), onError })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }
})

/** A gate that handlers wait for. It opens at the end of the test at the latest. */
function createGate(): { opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  onTestFinished(() => open())
  return { opened, open: () => open() }
}
