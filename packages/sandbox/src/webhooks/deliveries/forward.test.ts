import { describe, expect, it } from 'vitest'
import { openApp } from '../../../test/open-app.ts'
import { useSandbox } from '../../../test/use-sandbox.ts'
import { freePort } from '../../../../../test/support/free-port.ts'

describe('forwardTo', () => {
  const made = useSandbox({ historyDays: 0 })
  const control = () => made().sandbox.control

  it('repeats the test until the app accepts it, then goes live', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhooks/feed`
    const causes: string[] = []
    let secret = ''
    const forwarding = control().forwardTo({
      url,
      onCreated: (created) => {
        secret = created.secret ?? ''
      },
      onWaiting: ({ status, errorCode }) => causes.push(errorCode ?? String(status)),
    })
    await expect.poll(() => causes).toEqual(['ECONNREFUSED'])
    const app = await openApp(port)
    await expect.poll(() => causes).toEqual(['ECONNREFUSED', '401'])
    app.secrets = [secret]
    const { destination, tests } = await forwarding
    expect(destination).toMatchObject({ state: 'active', name: 'Forward' })
    expect(tests).toBeGreaterThanOrEqual(3)
    const event = await control().composeEvent({})
    await expect.poll(() => app.inbox.entries.has(event.id)).toBe(true)
  })

  it('reuses an earlier destination, or replaces one with another secret', async () => {
    const app = await openApp()
    const secret = 'feed_whsec_of_the_environment'
    app.secrets = [secret]
    const created: string[] = []
    const forward = async (given?: string) => {
      const forwarded = await control().forwardTo({
        url: app.url,
        secret: given,
        onCreated: (destination) => {
          created.push(destination.id)
          app.secrets = [destination.secret ?? '']
        },
      })
      return forwarded.destination.id
    }
    const first = await forward(secret)
    expect(await forward(secret)).toBe(first)
    expect(created).toEqual([first])
    const other = await forward('feed_whsec_another')
    const own = await forward()
    expect(created).toEqual([first, other, own])
    const ids = (await control().listDestinations()).map(({ id }) => id)
    expect(ids).toContain(own)
    expect(ids).not.toContain(other)
  })

  it('stops waiting when its signal aborts', async () => {
    const stopping = new AbortController()
    const forwarding = control().forwardTo({
      url: `http://127.0.0.1:${await freePort()}/feed`,
      signal: stopping.signal,
      onWaiting: () => stopping.abort(new Error('enough')),
    })
    await expect(forwarding).rejects.toThrow('enough')
  })

  it('follows an app to another port and sends waiting retries immediately', async () => {
    const app = await openApp()
    const secret = 'feed_whsec_of_an_app_that_moves'
    app.secrets = [secret]
    const before = await control().forwardTo({ url: app.url, secret })
    app.close()
    const event = await control().composeEvent({})
    const destinationId = before.destination.id
    const find = () => control().listDeliveries({ eventId: event.id, destinationId })
    await expect.poll(find).toMatchObject([{ attempts: 1, state: 'scheduled' }])
    const moved = await openApp()
    moved.secrets = [secret]
    const after = await control().forwardTo({ url: moved.url, secret, mayHaveMoved: true })
    expect(after.destination.id).toBe(before.destination.id)
    await expect.poll(() => moved.inbox.entries.has(event.id)).toBe(true)
    expect(await find()).toMatchObject([{ attempts: 2 }])
  })

  it('neither moves nor deletes a destination that a user made, whatever its name and secret', async () => {
    const [app, own] = [await openApp(), await openApp()]
    const secret = 'feed_whsec_of_an_app_beside_that_of_a_user'
    for (const one of [app, own]) one.secrets = [secret]
    const account = { accountId: 'acct_sandbox', name: 'Forward' }
    const { id } = await control().createDestination({ ...account, url: own.url, secret })
    const { destination } = await control().forwardTo({ url: app.url, secret, mayHaveMoved: true })
    expect(destination.id).not.toBe(id)
    const changed = { id: destination.id, name: 'Renamed' }
    await control().changeDestination(changed)
    const again = await control().forwardTo({ url: app.url, secret, mayHaveMoved: true })
    expect(again.destination).toMatchObject(changed)
    const left = (await control().listDestinations()).filter((one) => one.id === id)
    expect(left).toMatchObject([{ address: own.url, name: 'Forward' }])
    await control().deleteDestination({ id })
    await control().deleteDestination(destination)
  })

  it('keeps a destination whose secret was rotated since, with an earlier secret', async () => {
    const app = await openApp()
    const secret = 'feed_whsec_of_an_app_before_its_rotation'
    app.secrets = [secret]
    const { destination } = await control().forwardTo({ url: app.url, secret, mayHaveMoved: true })
    const { id } = destination
    const rotated = await control().rotateSecret({ id })
    await control().moveClock({ to: 'shift', byMs: 25 * 3_600_000 })
    app.secrets = [rotated.secret]
    for (const given of [secret, rotated.secret, secret]) {
      const again = { url: app.url, secret: given, mayHaveMoved: true }
      expect((await control().forwardTo(again)).destination).toMatchObject({ id, state: 'active' })
    }
    await control().moveClock({ to: 'reset' })
  })

  it('rejects a URL with credentials, whether or not the app moves', async () => {
    const app = await openApp()
    const secret = 'feed_whsec_of_an_app_with_credentials'
    app.secrets = [secret]
    const { destination } = await control().forwardTo({ url: app.url, secret })
    const url = app.url.replace('http://', 'http://ada:password@')
    for (const mayHaveMoved of [false, true]) {
      await expect(control().forwardTo({ url, secret, mayHaveMoved })).rejects.toMatchObject({
        name: 'Rejection',
        message: expect.stringContaining('without credentials'),
      })
    }
    await control().deleteDestination(destination)
  })

  it('logs a repeated failure once', async () => {
    const stopping = new AbortController()
    const port = await freePort()
    let id = ''
    const forwarding = control().forwardTo({
      url: `http://127.0.0.1:${port}/feed`,
      signal: stopping.signal,
      onCreated: (created) => {
        id = created.id
      },
    })
    const tests = async () => await control().listDeliveries({ destinationId: id })
    await expect.poll(async () => (id === '' ? 0 : (await tests()).length)).toBe(3)
    stopping.abort(new Error('enough'))
    await expect(forwarding).rejects.toThrow('enough')
    const changes = await control().listDestinationChanges({ destinationId: id })
    expect(changes.map(({ change }) => change)).toEqual(['test_failed', 'created'])
  })
})
