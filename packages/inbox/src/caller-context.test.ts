import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../test/support/databases.ts'
import { repeat } from './repeat.ts'
import { createInbox } from './index.ts'

describeOnEach('the stores of a caller on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')

  it('are not seen by handlers, whoever started the inbox and its worker', embedded, async () => {
    const storage = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const see = () => void seen.push(storage.getStore())
    const inbox = createInbox({ database: database() })
    onTestFinished(() => inbox.stop())
    await storage.run('start', () => inbox.start())
    const fails = () => {
      see()
      throw new Error('not now')
    }
    await storage.run('work', () =>
      inbox.work({ outage_started: see, '*': fails }, { onFailed: see }),
    )
    await storage.run('accept', async () => {
      await inbox.accept(deliveryOf(makeEvent({ type: 'outage_started' })))
      await inbox.accept(deliveryOf(makeEvent({ type: 'model_release' })))
    })
    await expect.poll(() => seen.length).toBe(3)
    expect(seen).toEqual([undefined, undefined, undefined])
  })
})

it('hides the stores of a caller from work at intervals', async () => {
  const storage = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const run = async () => void seen.push(storage.getStore())
  const stopping = new AbortController()
  const options = { signal: stopping.signal, onError: () => {} }
  const repeating = storage.run('caller', () => repeat(1, run, options))
  await expect.poll(() => seen.length).toBeGreaterThan(1)
  stopping.abort()
  await repeating
  expect(new Set(seen)).toEqual(new Set([undefined]))
})
