import { openDatabase } from '@feed-receiver/database'
import { createSender, fixture } from '@feed-receiver/sender'
import { expect, it, onTestFinished } from 'vitest'
import { startProgram } from '../../support/start-program.ts'
import { createTarget, describeOnEach, type TestTarget } from '../../support/databases.ts'

const secret = 'feed_whsec_end_to_end_0123456789abcdef'
const program = new URL('receiver-process.ts', import.meta.url)

describeOnEach('a receiver on %s', (kind) => {
  it('loses and duplicates nothing when killed between commit and response [R168]', async () => {
    process.env.FEED_SIGNING_SECRET = secret
    const { target, drop } = await createTarget(kind, 'inbox')
    const sender = createSender({ secret })
    const start = async (...dies: string[]) => {
      const child = startProgram(program, [
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
    await loseHeartbeats(target)

    const second = await start()
    const again = await sender.attempt(event, { to: second.to, attempt: 2 })
    expect(again).toMatchObject({
      status: 200,
      responseBody: `{"status":"duplicate","id":"${event.id}"}`,
    })
    const effects = async () => (await fetch(`${second.origin}/effects`)).json()
    await expect.poll(effects, { timeout: 60_000, interval: 100 }).toEqual([event.id])

    second.child.kill('SIGKILL')
    await second.child.ended
    await sender.close()
    await drop()
  }, 120_000)
})

/**
 * The killed process may hold a job until half a minute without a heartbeat. Then it is retried,
 * here at once.
 */
async function loseHeartbeats(target: TestTarget['target']): Promise<void> {
  await using database = openDatabase(target)
  await database.query(
    `update feed_inbox.job set heartbeat_on = heartbeat_on - interval '1 minute',
       retry_delay = 0, retry_backoff = false
     where state = 'active'`,
  )
}
