import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createCopy } from '../../../../test/support/templates.ts'
import { createInbox } from '../index.ts'

it('reports that handlers hold every connection, while deliveries are stored', async () => {
  const { inbox, release } = await exhaustPool()
  const startedAt = performance.now()
  const health = await inbox.health()
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  expect(health).toMatchObject({
    ok: false,
    problems: [{ code: 'pool_exhausted', message: expect.stringContaining('maxConnections') }],
    database: 'up',
    queue: 'up',
    backlog: null,
  })
  expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
  release()
  await expect.poll(() => inbox.health()).toMatchObject({ ok: true, error: null })
})

it('reports the same if handlers release a connection just before it answers', async () => {
  const { inbox, release } = await exhaustPool()
  const health = inbox.health()
  await delay(4_400)
  release()
  expect(await health).toMatchObject({ problems: [{ code: 'pool_exhausted' }], database: 'up' })
})

/** Starts an inbox whose handlers hold every connection of its pool until `release`. */
async function exhaustPool() {
  const { url, drop } = await createCopy('inbox')
  onTestFinished(drop)
  const database = openDatabase(url, { maxConnections: 2 })
  onTestFinished(() => database.close())
  const inbox = createInbox({ database, onError: () => {} })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  onTestFinished(() => release())
  let holding = 0
  await inbox.work(
    {
      '*': async (_, { tx }) => {
        await tx.query('select')
        holding += 1
        await released
      },
    },
    { concurrency: 2 },
  )
  for (let n = 0; n < 2; n += 1) await inbox.accept(deliveryOf(makeEvent()))
  await expect.poll(() => holding).toBe(2)
  return { inbox, release }
}
