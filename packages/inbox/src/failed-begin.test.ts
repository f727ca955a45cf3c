import { metrics } from '@opentelemetry/api'
import { openDatabase, type Database } from '@feed-receiver/database'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { createTarget, type TestTarget } from '../../../test/support/databases.ts'
import { runSql } from '../../../test/support/postgres.ts'
import { until } from '../../../test/support/until.ts'
import { createInbox, type Inbox, type InboxOptions } from './index.ts'

describe('an inbox', () => {
  it('keeps no connection after a failed start, and starts later', async () => {
    const { inbox, observer } = await makeInbox({ migrate: false })
    await expect(inbox.start()).rejects.toMatchObject({ code: 'not_migrated' })
    await untilClosed(observer)

    await using owner = createInbox({ database: observer })
    await owner.start()
    await inbox.start()
    expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
  })

  it('keeps no connection of its queue after a start that failed later', async () => {
    const { observer } = await makeInbox()
    const getMeter = () => {
      throw new Error('The SDK has no meter.')
    }
    metrics.setGlobalMeterProvider({ getMeter })
    onTestFinished(() => metrics.disable())
    const inbox = createInbox({ database: observer })
    await expect(inbox.start()).rejects.toThrow('The SDK has no meter.')
    await untilClosed(observer)
  })

  it('starts again after a stop that fails', async () => {
    const { observer } = await makeInbox()
    let isFailing = true
    const database: Database = {
      ...observer,
      bossOptions() {
        const { db, ...options } = observer.bossOptions()
        const close = async () => {
          await db.close()
          if (isFailing) throw new Error('The connection is gone.')
        }
        return { ...options, db: { ...db, close } }
      },
    }
    const inbox = createInbox({ database })
    await inbox.start()
    // The start waits for the stop.
    const [stopped, started] = await Promise.allSettled([inbox.stop(), inbox.start()])
    isFailing = false
    onTestFinished(() => inbox.stop())
    expect(stopped).toMatchObject({ reason: new Error('The connection is gone.') })
    expect(started).toMatchObject({ status: 'fulfilled' })
    await inbox.work({})
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('skipped')
  })

  it('starts while a lock keeps every delivery out, and says so', async () => {
    const { target, observer } = await makeInbox()
    await createInbox({ database: observer }).start()
    const database = openDatabase(target, { queryTimeoutMs: 500 })
    onTestFinished(() => database.close())
    const onError = vi.fn<(error: unknown) => void>()
    const inbox = createInbox({ database, migrate: false, onError })
    onTestFinished(() => inbox.stop())
    await observer.tx(async (tx) => {
      await tx.query('lock table feed_inbox.entry in share row exclusive mode')
      await inbox.start()
      expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'unavailable' }))
      const { problems } = await inbox.health({ tryStore: true })
      expect(problems).toMatchObject([{ code: 'store_failing' }])
    })
    await until('deliveries are stored', async () => {
      return (await inbox.accept(deliveryOf(makeEvent())).catch(() => null)) === 'stored'
    })
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

/** An open pool would also drop idle connections, but only later. */
async function untilClosed(observer: Database): Promise<void> {
  await until('it is closed', async () => (await connectionsOf(observer)) === 0, {
    withinMs: 5_000,
  })
}

async function connectionsOf(observer: Database): Promise<number> {
  const { rows } = await observer.query(
    `select from pg_stat_activity
     where datname = current_database() and (application_name like 'feed-receiver%' or application_name like '%-boss')`,
  )
  return rows.length
}

async function makeInbox(
  options: InboxOptions = {},
): Promise<{ inbox: Inbox; observer: Database; target: TestTarget['target'] }> {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const observer = openDatabase(target, { applicationName: 'observer' })
  onTestFinished(() => observer.close())
  const inbox = createInbox({ database: target, ...options })
  onTestFinished(() => inbox.stop())
  return { inbox, observer, target }
}
