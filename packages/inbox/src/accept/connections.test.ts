import { openDatabase } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'

/** An inbox on a pool of two connections, and a count of its connections. */
async function startInbox() {
  const { target, drop } = await createTarget('postgres')
  const observer = openDatabase(target, { applicationName: 'observer' })
  const database = openDatabase(target, { applicationName: 'accepting', maxConnections: 2 })
  const inbox = createInbox({ database })
  onTestFinished(async () => {
    await inbox.stop()
    await database.close()
    await observer.close()
    await drop()
  })
  await inbox.start()
  const connections = async () => {
    const { rowCount } = await observer.query(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'accepting'`,
    )
    return rowCount
  }
  return { inbox, database, connections }
}

it('takes one connection in a process that only receives', async () => {
  const { inbox, connections } = await startInbox()
  await inbox.accept(deliveryOf(makeEvent()))
  await inbox.accept(deliveryOf(makeEvent()))
  expect(await connections()).toBe(1)
})

it('accepts while transactions of the app hold all connections of the pool', async () => {
  const { inbox, database, connections } = await startInbox()
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  let held = 0
  const hold = () =>
    database.tx(async (tx) => {
      await tx.query('select 1')
      held += 1
      await released
    })
  const holding = [hold(), hold()]
  await expect.poll(() => held).toBe(2)
  expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
  expect(await connections()).toBe(3)
  release()
  await Promise.all(holding)
})

it('has its own connection as soon as handlers may run', async () => {
  const { inbox, connections } = await startInbox()
  await inbox.work({})
  await expect.poll(connections).toBeGreaterThan(1)
})
