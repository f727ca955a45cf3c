import { describe, expect, it } from 'vitest'
import { filledKinds } from '../../../../../test/support/databases.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { useSandbox } from '../../../test/use-sandbox.ts'

const dayMs = 86_400_000

describe.each(filledKinds)('a rotation on %s', (kind) => {
  const made = useSandbox({ historyDays: 0 }, kind)
  const control = () => made().sandbox.control

  it('switches secrets after exactly 24 hours, also between retries [R202, R237]', async () => {
    const { app, id, secret: old } = await connect()
    const { now } = await control().moveClock({ to: 'freeze' })
    const { secret, activatesAt } = await control().rotateSecret({ id })
    expect(activatesAt.getTime() - now.getTime()).toBe(dayMs)
    expect((await control().listDestinations())[0]?.newSecretAt).toEqual(activatesAt)

    await control().moveClock({ to: 'advance', byMs: dayMs - 30_000 - 1 })
    app.answer = () => ({ status: 503 })
    const event = await control().composeEvent({})
    await expect.poll(async () => (await delivery(event.id))?.attempts).toBe(1)
    await expect.poll(async () => (await delivery(event.id))?.state).toBe('scheduled')

    app.answer = null
    app.secrets = [old]
    await control().moveClock({ to: 'advance', byMs: 30_000 })
    await expect.poll(async () => (await delivery(event.id))?.state).toBe('delivered')
    await control().composeEvent({ id: 'evt_last_old' })
    await expect.poll(async () => (await delivery('evt_last_old'))?.state).toBe('delivered')

    await control().moveClock({ to: 'advance', byMs: 1 })
    app.secrets = [secret]
    await control().composeEvent({ id: 'evt_first_new' })
    await expect.poll(async () => (await delivery('evt_first_new'))?.state).toBe('delivered')
    const { isAccepted } = await control().testDestination({ id })
    expect(isAccepted).toBe(true)
    expect((await control().listDestinations())[0]?.newSecretAt).toBe(null)
    for (const { headers } of app.arrivals) {
      expect(headers['feed-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    }

    // Another is possible now, and the first one is erased after seven days.
    await control().rotateSecret({ id })
    await control().cancelRotation({ id })
    await control().moveClock({ to: 'advance', byMs: 8 * dayMs })
    app.secrets = [secret]
    expect((await control().testDestination({ id })).isAccepted).toBe(true)
    await control().moveClock({ to: 'reset' })
    await control().deleteDestination({ id })
  })

  it('runs one at a time and can be cancelled [R205]', async () => {
    const { app, id, secret } = await connect()
    await control().rotateSecret({ id })
    expect(await made().act('rotate-secret', { id })).toMatchObject({
      status: 409,
      body: { code: 'rotation_in_progress' },
    })
    await control().cancelRotation({ id })
    expect(await made().act('cancel-rotation', { id })).toMatchObject({ status: 409 })
    await control().moveClock({ to: 'shift', byMs: 2 * dayMs })
    app.secrets = [secret]
    expect((await control().testDestination({ id })).isAccepted).toBe(true)
    await control().moveClock({ to: 'reset' })
    await control().deleteDestination({ id })
  })

  async function connect(): Promise<{ app: TestApp; id: string; secret: string }> {
    const app = await openApp()
    const { id, secret } = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    app.secrets = [secret ?? '']
    await control().testDestination({ id })
    return { app, id, secret: secret ?? '' }
  }

  async function delivery(eventId: string) {
    return (await control().listDeliveries({ eventId }))[0]
  }
})
