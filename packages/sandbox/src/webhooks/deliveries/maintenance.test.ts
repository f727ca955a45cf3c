import { openDatabase, type Database } from '@feed-receiver/database'
import { beforeAll, describe, expect, it } from 'vitest'
import { openApp } from '../../../test/open-app.ts'
import { useSandbox } from '../../../test/use-sandbox.ts'
import { pruneDeliveries, sweepDeliveries } from './maintenance.ts'

describe('maintenance', () => {
  const made = useSandbox({ historyDays: 0 })
  const control = () => made().sandbox.control
  let database: Database

  beforeAll(() => {
    database = openDatabase(made().options.database ?? '')
    return () => database.close()
  })

  it('deletes the oldest finished deliveries and keeps pending ones', async () => {
    const app = await openApp()
    const { id } = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    app.answer = () => ({ status: 200 })
    await control().testDestination({ id })
    await control().moveClock({ to: 'freeze' })
    app.answer = () => ({ status: 503 })
    const pending = await control().composeEvent({})
    await expect
      .poll(() => control().listDeliveries())
      .toMatchObject([{ attempts: 1, lastStatus: 503 }, {}])
    app.answer = () => ({ status: 200 })
    for (let count = 1; count <= 4; count += 1) await control().composeEvent({})
    const states = async () => (await control().listDeliveries()).map(({ state }) => state)
    await expect.poll(states).toEqual([...Array(4).fill('delivered'), 'scheduled', 'delivered'])

    await pruneDeliveries(database, { newest: 3 })
    expect(await states()).toEqual([...Array(3).fill('delivered'), 'scheduled'])
    expect(await control().listDeliveries({ eventId: pending.id })).toHaveLength(1)
    const changes = await control().listDestinationChanges()
    expect(changes.length).toBeGreaterThan(0)
    await pruneDeliveries(database, { newest: 1 })
    expect(await control().listDestinationChanges()).toEqual(changes.slice(0, 1))
  })

  it('sends held deliveries to a destination that is active again [R92]', async () => {
    const app = await openApp()
    const { id } = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    app.answer = () => ({ status: 200 })
    await control().testDestination({ id })
    const event = await control().composeEvent({})
    await expect.poll(() => app.arrivals.length).toBe(2)
    await database.query(
      `update sandbox.delivery set state = 'held', ended_at = null
       where event_id = $1 and destination_id = $2`,
      [event.id, id],
    )
    await sweepDeliveries(database)
    await expect.poll(() => app.arrivals.length).toBe(3)
  })
})
