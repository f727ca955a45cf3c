import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { startPostgres } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { createInbox } from '../index.ts'

it('reports that nothing is claimed while all connections of pg-boss hang, and claims later', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const observer = openDatabase(server.url, { applicationName: 'observer' })
  onTestFinished(() => observer.close())
  const inbox = createInbox({ database: server.url, onError: () => {} })
  onTestFinished(() => inbox.stop())
  await inbox.start()
  const seen: string[] = []
  await inbox.work({ '*': ({ id }) => void seen.push(id) })

  const freezer = freezeAll(observer)
  onTestFinished(() => freezer.thaw())
  await until('one is frozen', () => freezer.frozen.size > 0)
  const event = makeEvent()
  await inbox.accept(deliveryOf(event))
  await observer.query(`update feed_inbox.job set start_after = now() - interval '2 minutes'`)
  const codes = async () => (await inbox.health()).problems.map(({ code }) => code)
  expect(await codes()).toEqual(['nothing_claimed'])
  // A claim times out, and its replacement hangs as well.
  await until('another one is frozen', () => freezer.frozen.size > 2, { withinMs: 30_000 })
  expect(seen).toEqual([])
  expect(await codes()).toEqual(['nothing_claimed'])

  await freezer.thaw()
  await expect.poll(() => seen).toEqual([event.id])
  await expect.poll(codes).toEqual([])
})

/** Freezes every backend of pg-boss, including new ones. */
function freezeAll(observer: Database) {
  const frozen = new Set<number>()
  const ending = new AbortController()
  const freezing = freeze()
  return {
    frozen,
    async thaw() {
      ending.abort()
      await freezing
      for (const pid of frozen) signal(pid, 'SIGCONT')
    },
  }

  async function freeze(): Promise<void> {
    while (!ending.signal.aborted) {
      const { rows } = await observer.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name = 'feed-receiver-boss'`,
      )
      for (const { pid } of rows) {
        frozen.add(pid)
        signal(pid, 'SIGSTOP')
      }
      await delay(10)
    }
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process has already exited.
  }
}
