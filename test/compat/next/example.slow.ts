import { createSender, fixture } from '@feed-receiver/sender'
import { beforeAll, describe, expect, it } from 'vitest'
import { versions } from './global-setup.ts'
import { buildApp, copyApp, startNextApp } from './next-app.ts'

const secret = 'feed_whsec_next_example_0123456789abcdef'
const { title } = fixture('outage_started').data

describe.each(versions)('the example on Next %s', (version) => {
  let folder: string
  beforeAll(async () => {
    folder = copyApp(version, 'examples/next-app')
    await buildApp(folder) // without a secret
  })

  it('receives, handles and stops', async () => {
    const env = { FEED_SIGNING_SECRET: secret, NEXT_MANUAL_SIG_HANDLE: 'true' }
    const app = await startNextApp(folder, 'start', env)
    const sender = createSender({ secret })
    const deliver = async (id: string) => {
      const to = `http://127.0.0.1:${app.port}/webhooks/feed`
      return (await sender.attempt(fixture('outage_started', { id }), { to })).status
    }

    // 503 until its inbox has started.
    await expect.poll(() => deliver('evt_first'), { timeout: 45_000 }).toBeLessThan(300)
    expect(await app.nextLine('Outage: ')).toContain(title)
    expect(await deliver('evt_first')).toBe(200)
    expect(await deliver('evt_second')).toBe(202)
    expect(await app.nextLine('Outage: ')).toContain(title)

    expect(await app.stop()).toBe(0)
    await sender.close()
  })

  it('works when its scheduler calls, without a long-running process', async () => {
    const env = { FEED_SIGNING_SECRET: secret, CRON_SECRET: 'cron', NEXT_MANUAL_SIG_HANDLE: 'true' }
    const app = await startNextApp(folder, 'start', env)
    const origin = `http://127.0.0.1:${app.port}`
    const call = (authorization: string) =>
      fetch(`${origin}/cron/feed`, { headers: { authorization } })
    const sender = createSender({ secret })
    const event = fixture('outage_started', { id: 'evt_cron' })
    const to = `${origin}/webhooks/feed`
    const deliver = async () => (await sender.attempt(event, { to })).status
    await expect.poll(deliver, { timeout: 45_000 }).toBeLessThan(300)

    expect((await call('Bearer guess')).status).toBe(401)
    const drained = await call('Bearer cron')
    expect(await drained.json()).toEqual({ handled: 1, failed: 0, isEmpty: true })
    expect(await app.nextLine('Outage: ')).toContain(title)

    expect(await app.stop()).toBe(0)
    await sender.close()
  })

  it('exits without a database instead of answering everything with 500', async () => {
    const nowhere = 'postgres://nobody@127.0.0.1:1/none'
    const app = await startNextApp(folder, 'start', { DATABASE_URL: nowhere })
    await expect(app.nextLine('Outage: ')).rejects.toThrow('ECONNREFUSED 127.0.0.1:1')
    expect(await app.ended).toBe(1)
  })
})
