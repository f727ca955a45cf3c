import { createSender, fixture } from '@feed-receiver/sender'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startProgram } from '../../support/start-program.ts'
import { smallDisks } from '../../support/small-disk.ts'
import { until } from '../../support/until.ts'

const secret = 'feed_whsec_end_to_end_0123456789abcdef'
const program = new URL('receiver-process.ts', import.meta.url)

describe.each(smallDisks())('a receiver with an embedded database on %s', (_name, makeDisk) => {
  it('answers 503 while the disk is full, stores everything accepted, and continues once there is space', async () => {
    process.env.FEED_SIGNING_SECRET = secret
    const disk = await makeDisk()
    onTestFinished(() => disk.drop())
    const sender = createSender({ secret })
    const accepted: string[] = []
    const statuses = new Set<number | null>()
    let sent = 0

    const start = async () => {
      const child = startProgram(program, [`${disk.folder}/database`])
      onTestFinished(() => child.kill('SIGKILL'))
      return { ...child, origin: `http://127.0.0.1:${await child.nextLine()}` }
    }
    const deliver = async (origin: string) => {
      const event = fixture('outage_started', { id: `disk_${(sent += 1)}` })
      const { status } = await sender.attempt(event, { to: `${origin}/webhooks/feed` })
      statuses.add(status)
      if (status === 202) accepted.push(event.id)
      return status
    }
    const deliverUntil = (origin: string, wanted: number) =>
      until(
        `a response of ${wanted}`,
        async () => {
          const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(origin)))
          // This does not use the database: the process itself responds.
          const signal = AbortSignal.timeout(20_000)
          expect((await fetch(origin, { signal })).status).toBe(404)
          return answers.includes(wanted)
        },
        { withinMs: 60_000 },
      )

    const first = await start()
    await deliverUntil(first.origin, 202)
    for (let round = 0; round < 2; round += 1) {
      disk.fill(first.pid)
      await deliverUntil(first.origin, 503)
      for (let n = 0; n < 10; n += 1) await deliver(first.origin)
      disk.free(first.pid)
      await deliverUntil(first.origin, 202)
    }
    disk.fill(first.pid)
    await deliverUntil(first.origin, 503)
    first.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect([...statuses].toSorted()).toEqual([202, 503])

    disk.free(first.pid)
    const second = await start()
    const effects = async () => (await fetch(`${second.origin}/effects`)).json()
    await expect
      .poll(effects, { timeout: 120_000, interval: 250 })
      .toEqual(expect.arrayContaining(accepted))
    second.kill('SIGTERM')
    expect(await second.ended).toBe(0)
    await sender.close()
  }, 300_000)
})
