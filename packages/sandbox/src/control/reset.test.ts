import { describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/support/databases.ts'
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

  it('leaves no secret in an export', async () => {
    const { sandbox, key } = made()
    const exported = JSON.stringify(await sandbox.control.export())
    expect(exported).not.toContain(key)
    expect(exported).not.toMatch(/feed_live_|feed_whsec_|sha256/)
  })
})
