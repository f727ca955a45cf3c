import type { Database } from '@feed-receiver/database'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeOnEach, embedded, useDatabase } from '../../../test/support/databases.ts'
import { createInbox } from './index.ts'
import { openQueue } from './queue/open-queue.ts'
import type { Queue } from './queue/queue.ts'

const schema = 'feed_inbox'

describeOnEach('listening for jobs on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')

  it(
    'receives each notification of its own queue once, until it stops listening',
    embedded,
    async () => {
      const queue = await open(database())
      const heard = { first: 0, second: 0 }
      const first = await queue.listen(() => (heard.first += 1))
      const second = await queue.listen(() => (heard.second += 1))
      // Each is called once at first, because a notification may have been sent before.
      expect(heard).toEqual({ first: 1, second: 1 })
      await notify(database(), 'another_queue')
      await notify(database(), queue.name)
      await expect.poll(() => heard).toEqual({ first: 2, second: 2 })
      await first.close()
      await notify(database(), queue.name)
      await expect.poll(() => heard.second).toBe(3)
      expect(heard.first).toBe(2)
      await second.close()
    },
  )
})

describe('the listening connection', () => {
  const database = useDatabase('postgres', 'inbox')

  it('is a single one with one listener, however often it is lost', async () => {
    const queue = await open(database())
    let heard = 0
    const subscription = await queue.listen(() => (heard += 1))
    const losses = 3
    for (let n = 0; n < losses; n += 1) {
      const [lost] = await listening()
      await database().query('select pg_terminate_backend($1::integer)', [lost])
      // It calls back after it listens again, because it may have missed a notification.
      await expect.poll(() => heard).toBe(n + 2)
      expect(await listening()).toEqual([expect.any(Number)])
      expect(await listening()).not.toContain(lost)
    }
    for (let n = 0; n < 3; n += 1) {
      await notify(database(), queue.name)
      await expect.poll(() => heard).toBe(losses + n + 2)
    }
    await subscription.close()
    await expect.poll(listening).toEqual([])
    expect(heard).toBe(losses + 4)
  })

  it('is closed when the inbox stops', async () => {
    const inbox = createInbox({ database: database() })
    onTestFinished(() => inbox.stop())
    for (let n = 0; n < 2; n += 1) {
      await inbox.start()
      await inbox.work({})
      expect(await listening()).toHaveLength(1)
      await inbox.stop()
      await expect.poll(listening).toEqual([])
    }
  })

  /**
   * The listening backends, by their last statement: LISTEN, or the check that the connection is
   * alive. An idle connection of this test may have run this very statement last.
   */
  async function listening(): Promise<number[]> {
    const { rows } = await database().query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and application_name like '%-boss'
         and query ~* '^(listen |select 1$)'`,
    )
    return rows.map(({ pid }) => pid)
  }
})

async function open(database: Database): Promise<Queue> {
  const queue = await openQueue({
    name: 'feed',
    schema,
    boss: database.bossOptions(),
    migrate: true,
    // Called for each loss that these tests cause.
    onError: () => {},
  })
  onTestFinished(() => queue.stop())
  return queue
}

async function notify(database: Database, queueName: string): Promise<void> {
  await database.query('select pg_notify($1, $2)', [schema, queueName])
}
