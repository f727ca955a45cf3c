import { openDatabase } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'

it('uses one connection to accept, and reserves another only while it works', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  await using observer = openDatabase(target, { applicationName: 'observer' })
  const connections = async () => {
    const { rowCount } = await observer.query(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'accepting'`,
    )
    return rowCount
  }
  await using database = openDatabase(target, { applicationName: 'accepting' })
  await using inbox = createInbox({ database })
  await inbox.start()
  await inbox.accept(deliveryOf(makeEvent()))
  await inbox.accept(deliveryOf(makeEvent()))
  expect(await connections()).toBe(1)

  await inbox.work({ '*': ({ id }, { tx }) => tx.query('select $1::text', [id]) })
  await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 2 })
  await inbox.accept(deliveryOf(makeEvent()))
  expect(await connections()).toBeGreaterThan(1)
})
