import { openDatabase } from '@feed-receiver/database'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'
import { openQueue } from './open-queue.ts'

describe('opening the queue', () => {
  const database = useDatabase('postgres', 'inbox')
  const options = { schema: 'feed_inbox', migrate: true, onError: () => {} }

  beforeAll(async () => {
    await using inbox = createInbox({ database: database() })
    await inbox.start()
  })

  it('keeps waiting and dead jobs for 90 days', async () => {
    const { rows } = await database().query(
      `select name, retention_seconds as seconds from feed_inbox.queue where name like 'feed%'
       order by name`,
    )
    const seconds = 90 * 86_400
    expect(rows).toEqual([
      { name: 'feed', seconds },
      { name: 'feed_dead', seconds },
    ])
  })

  it('leaves no connection open after a failure', async () => {
    const opening = openQueue({ ...options, name: 'not a name!', boss: database().bossOptions() })
    await expect(opening).rejects.toThrow('Name can only contain')
    const count = async () => {
      const { rowCount } = await database().query(
        `select from pg_stat_activity
         where datname = current_database() and application_name = 'feed-receiver-boss'`,
      )
      return rowCount
    }
    // Sooner than the pool closes idle connections.
    await expect.poll(count, { timeout: 5_000 }).toBe(0)
  })

  it('allows more time for index creation than for other statements', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(drop)
    await using hasty = openDatabase(url, { queryTimeoutMs: 3_000 })
    await using inbox = createInbox({ database: hasty })
    await inbox.start()
    await inbox.stop()
    await using other = openDatabase(url)
    await other.query('drop index feed_inbox.job_failing')
    await other.tx(async (tx) => {
      await tx.query('lock table feed_inbox.job in row exclusive mode')
      const starting = inbox.start()
      await Promise.race([starting, tx.query('select pg_sleep(3.5)')])
      void starting.catch(() => {})
    })
    await inbox.start()
    const { rows } = await other.query(`select to_regclass('feed_inbox.job_failing')::text as name`)
    expect(rows).toEqual([{ name: 'feed_inbox.job_failing' }])
  })
})
