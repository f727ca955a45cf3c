import { createSender, fixture } from '@feed-receiver/sender'
import { expect, it, describe, onTestFinished } from 'vitest'
import { startChild } from '../support/child.ts'
import { createTarget, databaseKinds } from '../support/databases.ts'

const secret = 'feed_whsec_end_to_end_0123456789abcdef'
const program = new URL('receiver-process.ts', import.meta.url)

describe.each(databaseKinds)('a receiver on %s', (kind) => {
  it('killed between commit and answer loses nothing and doubles nothing', async () => {
    process.env.FEED_SIGNING_SECRET = secret
    const { target, drop } = await createTarget(kind)
    const sender = createSender({ secret })
    const start = async (...dies: string[]) => {
      const child = startChild(program, [
        typeof target === 'string' ? target : target.folder,
        ...dies,
      ])
      onTestFinished(() => child.kill('SIGKILL'))
      const origin = `http://127.0.0.1:${await child.nextLine()}`
      return { child, origin, to: `${origin}/webhooks/feed` }
    }
    const event = fixture('outage_started')

    const first = await start('after-commit')
    const unanswered = await sender.attempt(event, { to: first.to })
    expect(unanswered).toMatchObject({ status: null, cause: 'reset' })
    expect(await first.child.ended).toBe('SIGKILL')

    const second = await start()
    const again = await sender.attempt(event, { to: second.to, attempt: 2 })
    expect(again).toMatchObject({
      status: 200,
      responseBody: `{"status":"duplicate","id":"${event.id}"}`,
    })
    const effects = async () => (await fetch(`${second.origin}/effects`)).json()
    // The job of the first process may be held by it until its heartbeat runs out.
    await expect.poll(effects, { timeout: 90_000, interval: 250 }).toEqual([event.id])

    second.child.kill('SIGKILL')
    await second.child.ended
    await sender.close()
    await drop()
  }, 120_000)
})
