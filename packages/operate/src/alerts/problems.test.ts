import { openDatabase } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus, useDatabase } from '../../../../test/support/databases.ts'
import { useRole } from '../../../../test/support/use-role.ts'
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
  beforeAll(async () => {
    // Creates the table of the alerts.
    const owner = createInbox({ database: database() })
    watch(owner)
    await owner.start()
    await owner.stop()
  })
  const { name: role, url, setReadOnly } = useRole(database)

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
      database: url(),
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
    await using app = openDatabase(url())
    const inbox = createInbox({
      database: app,
      source: 'demoted',
      migrate: false,
      onError: () => {},
    })
    const { news, check } = watch(inbox)
    await inbox.start()
    onTestFinished(() => inbox.stop())
    await setReadOnly('on')
    await expect
      .poll(async () => (await inbox.health()).problems)
      .toMatchObject([{ code: 'store_failing' }])
    for (let time = 1; time <= 3; time += 1) {
      await expect(check()).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(news).toEqual(['open problem store_failing'])
    await setReadOnly('off')
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
