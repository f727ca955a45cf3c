import { describe, expect, it } from 'vitest'
import { openApp } from '../../../test/open-app.ts'
import { useSandbox } from '../../../test/use-sandbox.ts'

describe('a destination that is paused by hand', () => {
  const made = useSandbox({ historyDays: 0 })

  it('gets no deliveries until it accepts a test, and cannot be paused again [R81, R83]', async () => {
    const { control } = made().sandbox
    const app = await openApp()
    app.answer = () => ({ status: 202 })
    const { id } = await control.createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    await expect(control.pauseDestination({ id })).rejects.toMatchObject({ reason: 'conflict' })
    await control.testDestination({ id })
    expect(await control.pauseDestination({ id })).toMatchObject({ state: 'paused' })
    expect(await control.listDestinationChanges({ limit: 1 })).toMatchObject([
      { change: 'paused', detail: 'by hand' },
    ])
    const event = await control.composeEvent({})
    expect(await control.listDeliveries({ eventId: event.id })).toMatchObject([
      { state: 'skipped', reason: 'destination_paused' },
    ])
    await expect(control.pauseDestination({ id })).rejects.toMatchObject({ reason: 'conflict' })
    const { destination } = await control.testDestination({ id })
    expect(destination.state).toBe('active')
    const missing = `dst_${'0'.repeat(24)}`
    await expect(control.pauseDestination({ id: missing })).rejects.toMatchObject({
      reason: 'not_found',
    })
  })
})
