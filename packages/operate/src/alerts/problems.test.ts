import { openDatabase } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus, useDatabase } from '../../../../test/support/databases.ts'
import { runSql } from '../../../../test/support/postgres.ts'
import { createAlerts } from './index.ts'

/** Alerts that close at once, and their notifications. */
function watch(inbox: Inbox) {
  const news: string[] = []
  const alerts = createAlerts({
    inbox,
    rules: { problem: { closeAfterMinutes: 0 } },
    notify: ({ state, rule, subject }) => news.push(`${state} ${rule} ${subject}`),
  })
  return { news, check: () => alerts.check() }
}

describe.skipIf(isOnCitus('postgres'))('an alert of a problem of the health', () => {
  const database = useDatabase('postgres', 'inbox')
  const role = `app_${randomBytes(4).toString('hex')}`
  let url = ''

  beforeAll(async () => {
    // Creates the table of the alerts.
    const owner = createInbox({ database: database() })
    watch(owner)
    await owner.start()
    await owner.stop()
    const { rows } = await database().query<{ name: string }>('select current_database() as name')
    const own = new URL(inject('postgresUrl'))
    own.pathname = `/${rows[0]?.name}`
    await runSql(own.href, `create role ${role} login password 'test'`)
    await runSql(
      own.href,
      `grant usage on schema feed_inbox to ${role};
      grant all on all tables in schema feed_inbox to ${role}`,
    )
    own.username = role
    own.password = 'test'
    url = own.href
  })
  afterAll(async () => {
    await database().query(`drop owned by ${role}`)
    await database().query(`drop role ${role}`)
  })

  it('opens while a poller is suspended', async () => {
    const inbox = createInbox({ database: database(), source: 'suspended' })
    onTestFinished(() => inbox.stop())
    const { news, check } = watch(inbox)
    await inbox.start()
    const holder = 'poller'
    await inbox.acceptPage([], { stream: 'one', cursor: 'next' })
    await inbox.streams.take('one', { holder, leaseMs: 60_000 })
    const note = { phase: 'suspended', code: 'unauthorized', waitUntil: null } as const
    await inbox.streams.note('one', holder, note)
    await check()
    await inbox.acceptPage([], { stream: 'one', cursor: 'next' })
    await check()
    expect(news).toEqual(['open problem pull_suspended', 'closed problem pull_suspended'])
  })

  it('opens once while the role may not store events', async () => {
    const inbox = createInbox({
      database: url,
      source: 'revoked',
      migrate: false,
      onError: () => {},
    })
    onTestFinished(() => inbox.stop())
    const { news, check } = watch(inbox)
    await inbox.start()
    await database().query(`revoke insert on feed_inbox.entry from ${role}`)
    for (let time = 1; time <= 3; time += 1) {
      await expect(inbox.accept(deliveryOf(makeEvent()))).rejects.toThrow('permission denied')
    }
    for (let time = 1; time <= 2; time += 1) await check()
    expect(news).toEqual(['open problem store_failing'])
    await database().query(`grant insert on feed_inbox.entry to ${role}`)
    expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
    await check()
    expect(news).toEqual(['open problem store_failing', 'closed problem store_failing'])
  })

  it('is sent without storing it by a server that turned read-only', async () => {
    await using app = openDatabase(url)
    const inbox = createInbox({
      database: app,
      source: 'demoted',
      migrate: false,
      onError: () => {},
    })
    const { news, check } = watch(inbox)
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const turn = async (mode: string) => {
      await database().query(`alter role ${role} set default_transaction_read_only to ${mode}`)
      await database().query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`,
      )
    }
    await turn('on')
    await expect
      .poll(async () => (await inbox.health()).problems)
      .toMatchObject([{ code: 'store_failing' }])
    for (let time = 1; time <= 3; time += 1) {
      await expect(check()).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(news).toEqual(['open problem store_failing'])
    await turn('off')
    await expect
      .poll(() =>
        check().then(
          () => 'done',
          () => 'failed',
        ),
      )
      .toBe('done')
    expect(news).toEqual(['open problem store_failing', 'closed problem store_failing'])
  })
})
