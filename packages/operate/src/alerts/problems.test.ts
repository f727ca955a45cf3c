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

  /** An inbox on a server that has just turned read-only, and a function that ends that. */
  async function demote(source: string) {
    const app = openDatabase(url())
    onTestFinished(() => app.close())
    const inbox = createInbox({ database: app, source, migrate: false, onError: () => {} })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    await setReadOnly('on')
    await expect
      .poll(async () => (await inbox.health()).problems)
      .toMatchObject([{ code: 'store_failing' }])
    const promote = async (check: () => Promise<void>) => {
      await setReadOnly('off')
      const checked = () =>
        check().then(
          () => 'done',
          () => 'failed',
        )
      await expect.poll(checked).toBe('done')
    }
    return { inbox, promote }
  }

  it('is sent without storing it by a server that turned read-only', async () => {
    const { inbox, promote } = await demote('demoted')
    const { news, check } = watch(inbox)
    for (let time = 1; time <= 3; time += 1) {
      await expect(check()).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(news).toEqual(['open problem store_failing'])
    await promote(check)
    expect(news).toEqual(['open problem store_failing', 'closed problem store_failing'])
  })

  it('is sent again with the same key if that failed while nothing could be stored', async () => {
    const { inbox, promote } = await demote('demoted-away')
    let isAway = true
    const tries: string[] = []
    const sent: string[] = []
    const errors: unknown[] = []
    const alerts = createAlerts({
      inbox,
      notify: ({ idempotencyKey }) => {
        tries.push(idempotencyKey)
        if (isAway) throw new Error('away')
        sent.push(idempotencyKey)
      },
      onError: (error) => errors.push(error),
    })
    const check = () => alerts.check()
    for (let time = 1; time <= 4; time += 1) {
      isAway = time < 4
      await expect(check()).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(sent).toEqual([expect.stringMatching(/open$/)])
    isAway = true
    await promote(check)
    isAway = false
    await check()
    await check()
    expect(sent).toEqual([expect.anything(), expect.stringMatching(/closed$/)])
    expect([...new Set(tries)]).toEqual(sent)
    expect(errors.length).toBeGreaterThan(2)
  })
})
