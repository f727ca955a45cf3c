import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import {
  createTarget,
  describeOnEach,
  embedded,
  useDatabase,
} from '../../../../test/support/databases.ts'
import { openDatabase, type Tx } from '@feed-receiver/database'
import { createInbox, type Handlers, type Inbox } from '../index.ts'

const concurrency = 3

describeOnEach('a stop on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  it.each([
    ['fewer handlers than slots', concurrency - 1],
    ['as many handlers as slots', concurrency],
    ['more events than slots', concurrency + 1],
  ])('ends a worker and a drain in time with %s', embedded, async (_, count) => {
    const running = [await startInbox(), await startInbox()]
    const begun: AbortSignal[] = []
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    onTestFinished(() => release())
    const handlers: Handlers = {
      '*': async (_event, { signal }) => {
        begun.push(signal)
        await released
      },
    }
    for (const { inbox } of running) {
      for (let n = 0; n < count; n += 1) await inbox.accept(deliveryOf(makeEvent()))
    }
    const options = { concurrency, onFailed: () => {} }
    const [worker, draining] = running.map(({ inbox }) => inbox)
    await worker?.work(handlers, options)
    const drained = draining?.drain(handlers, options)
    const slots = Math.min(count, concurrency)
    await expect.poll(() => begun.length).toBe(2 * slots)

    const startedAt = performance.now()
    await Promise.all(running.map(({ inbox }) => inbox.stop()))
    expect(performance.now() - startedAt).toBeLessThan(20 * stopTimeoutMs)
    expect(await drained).toEqual({ handled: 0, failed: slots, isEmpty: false })
    expect(begun.map(({ aborted }) => aborted)).toEqual(begun.map(() => true))
    expect(begun).toHaveLength(2 * slots)
    for (const { source } of running) {
      expect(await jobStates(source)).toEqual([
        ...Array.from({ length: count - slots }, () => 'created'),
        ...Array.from({ length: slots }, () => 'retry'),
      ])
    }
  })

  it('ends a worker whose handler hangs in its transaction', embedded, async () => {
    const { inbox } = await startInbox()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let isHanging = false
    await inbox.accept(deliveryOf(makeEvent()))
    await inbox.work(
      {
        '*': async (_event, { tx }) => {
          await tx.query('select 1')
          isHanging = true
          await released
        },
      },
      { onFailed: () => {} },
    )
    await expect.poll(() => isHanging).toBe(true)
    // The embedded database answers nobody else, such as a worker that looks for due jobs.
    await delay(700)
    await inbox.stop()
    release()
  })

  it.each([
    ['before its first statement', async () => {}],
    ['in its transaction', (tx: Tx) => tx.query('select 1')],
  ])('lets the app close its database while a handler hangs %s', embedded, async (_, use) => {
    const { target, drop } = await createTarget(kind)
    onTestFinished(drop)
    const own = openDatabase(target)
    const inbox = createInbox({ database: own, stopTimeoutMs, onError: () => {} })
    await inbox.start()
    await inbox.accept(deliveryOf(makeEvent()))
    let late: Promise<unknown> | undefined
    let goOn = () => {}
    const released = new Promise<void>((resolve) => (goOn = resolve))
    await inbox.work(
      {
        '*': async (_event, { tx }) => {
          await use(tx)
          late = released.then(() => tx.query('select 1'))
          await late
        },
      },
      { onFailed: () => {} },
    )
    await expect.poll(() => late !== undefined).toBe(true)
    await inbox.stop()
    await own.close()
    // It can write nothing more.
    goOn()
    await expect(late).rejects.toMatchObject({ code: 'tx_ended' })
  })

  const stopTimeoutMs = 500

  async function startInbox(): Promise<{ inbox: Inbox; source: string }> {
    sources += 1
    const source = `source${sources}`
    const inbox = createInbox({ database: database(), source, stopTimeoutMs, onError: () => {} })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return { inbox, source }
  }

  async function jobStates(source: string): Promise<string[]> {
    const { rows } = await database().query<{ state: string }>(
      `select state::text from feed_inbox.job where name = $1 order by state`,
      [source],
    )
    return rows.map(({ state }) => state)
  }
})
