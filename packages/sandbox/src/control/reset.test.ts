import { describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/support/databases.ts'
import { openApp } from '../../test/open-app.ts'
import { useSandbox } from '../../test/use-sandbox.ts'

describe.each(databaseKinds)('a reset on %s', (kind) => {
  const made = useSandbox({ historyDays: 2, historyEndsAt: new Date('2026-10-01') }, kind)

  it('begins again with the same history, and keys and cursors go on', async () => {
    const { get, act, sandbox } = made()
    const fresh = await sandbox.control.export()
    expect(fresh.events.length).toBeGreaterThan(20)
    await sandbox.control.composeEvent({ id: 'gone' })
    await sandbox.control.composeAccountEvent({ accountId: 'acct_sandbox' })
    const { nextCursor } = (await get('/v1/events')).body

    expect((await act('reset')).status).toBe(200)
    const again = await sandbox.control.export()
    expect(again.events).toEqual(fresh.events)
    expect(again.accountEvents).toEqual(fresh.accountEvents)
    const page = await get(`/v1/events?limit=200&confirmation=confirmed&cursor=${nextCursor}`)
    expect(page.body.usage.requests).toBe(1)
    expect(page.body.data.length).toBeGreaterThan(20)
  })

  it('forgets deliveries, and leaves their destinations and all fault rules as they are', async () => {
    const { control } = made().sandbox
    const app = await openApp()
    const { id, secret } = await control.createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    app.secrets = [secret ?? '']
    await control.testDestination({ id })
    await control.composeEvent({})
    await control.createDeliveryFault({ fault: 'jitter', destinationId: id })
    await control.createApiFault({ surface: 'account-event', fault: { kind: 'cut' } })
    await control.reset()
    expect(await control.listDeliveryFaults()).toMatchObject([{ fault: 'jitter' }])
    expect(await control.listApiFaults()).toMatchObject([{ surface: 'account-event' }])
    expect(await control.listDeliveries()).toEqual([])
    expect(await control.listDestinations()).toMatchObject([{ id, state: 'active' }])
    const event = await control.composeEvent({})
    await expect.poll(() => app.inbox.entries.has(event.id)).toBe(true)
  })

  it('leaves no secret in an export', async () => {
    const { sandbox, key } = made()
    const exported = JSON.stringify(await sandbox.control.export())
    expect(exported).not.toContain(key)
    expect(exported).not.toMatch(/feed_live_|feed_whsec_|sha256/)
  })
})
