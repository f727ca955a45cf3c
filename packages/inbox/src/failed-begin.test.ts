import { openDatabase, type Database } from '@feed-receiver/database'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { createTarget } from '../../../test/support/databases.ts'
import { runSql } from '../../../test/support/postgres.ts'
import { until } from '../../../test/support/until.ts'
import { createInbox, type Inbox, type InboxOptions } from './index.ts'

describe('an inbox', () => {
  it('keeps no connection after a failed start, and starts later', async () => {
    const { inbox, observer } = await makeInbox({ migrate: false })
    await expect(inbox.start()).rejects.toMatchObject({ code: 'not_migrated' })
    const connections = async () => {
      const { rows } = await observer.query(
        `select from pg_stat_activity
         where datname = current_database() and application_name like 'feed-receiver%'`,
      )
      return rows.length
    }
    // An open pool would also drop idle connections, but only later.
    await until('it is closed', async () => (await connections()) === 0, { withinMs: 5_000 })

    await using owner = createInbox({ database: observer })
    await owner.start()
    await inbox.start()
    expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
  })

  it('keeps accepting after work failed, and works later', async () => {
    const { inbox, observer } = await makeInbox()
    await inbox.start()
    const [{ name } = { name: '' }] = (
      await observer.query<{ name: string }>('select current_database() as name')
    ).rows
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await runSql(inject('postgresUrl'), `alter database ${name} allow_connections false`)
    // The queue would reuse a connection that is already open.
    await observer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'feed-receiver-boss'`,
    )
    await expect(inbox.work({})).rejects.toMatchObject({ code: 'unavailable' })
    await runSql(inject('postgresUrl'), `alter database ${name} allow_connections true`)
    expect(await inbox.accept(deliveryOf(event))).toBe('duplicate')
    await inbox.work({})
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('skipped')
  })
})

async function makeInbox(
  options: InboxOptions = {},
): Promise<{ inbox: Inbox; observer: Database }> {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const observer = openDatabase(target, { applicationName: 'observer' })
  onTestFinished(() => observer.close())
  const inbox = createInbox({ database: target, ...options })
  onTestFinished(() => inbox.stop())
  return { inbox, observer }
}
