import { openDatabase, type Database } from '@feed-receiver/database'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { createTarget, type TestTarget } from '../../../test/support/databases.ts'
import { lockTable } from '../../../test/support/lock-table.ts'
import { until } from '../../../test/support/until.ts'
import { createInbox } from './index.ts'

describe('a stop while the database does not answer', () => {
  let target: TestTarget['target']
  let observer: Database

  beforeEach(async () => {
    const made = await createTarget('postgres', 'inbox')
    onTestFinished(made.drop)
    target = made.target
    observer = openDatabase(target, { applicationName: 'observer' })
    onTestFinished(() => observer.close())
  })

  it('does not wait for a sweep', async () => {
    const database = openDatabase(target, { queryTimeoutMs: 30_000 })
    onTestFinished(() => database.close())
    const inbox = createInbox({ database, onError: () => {} })
    await inbox.start()
    const entries = await lockTable(observer, 'feed_inbox.entry')
    await inbox.work({})
    await waiting(`query like '%"isStranded"%'`)
    const startedAt = performance.now()
    await inbox.stop()
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    await entries.unlock()
  })

  it('does not wait for the first move of jobs', async () => {
    const database = openDatabase(target, { queryTimeoutMs: 30_000 })
    onTestFinished(() => database.close())
    const inbox = createInbox({ database, onError: () => {} })
    await inbox.start()
    const jobs = await lockTable(observer, 'feed_inbox.job')
    const working = inbox.work({})
    await waiting(`query like 'select id, (data ->> %'`)
    const startedAt = performance.now()
    await inbox.stop()
    expect(performance.now() - startedAt).toBeLessThan(15_000)
    await jobs.unlock()
    await working
  })

  it('aborts handlers beside a delivery that is being stored', async () => {
    const inbox = createInbox({ database: target, stopTimeoutMs: 1_000, onError: () => {} })
    await inbox.start()
    await inbox.accept(deliveryOf(makeEvent()))
    let isRunning = false
    let isAborted = false
    await inbox.work(
      {
        '*': async (_, { signal }) => {
          isRunning = true
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          isAborted = true
        },
      },
      { onFailed: () => {} },
    )
    await expect.poll(() => isRunning).toBe(true)
    const bodies = await lockTable(observer, 'feed_inbox.entry_body')
    const late = makeEvent()
    const accepted = inbox.accept(deliveryOf(late))
    await waiting(`query like 'with given as materialized (%'`)
    const stopped = inbox.stop()
    await until('the handler is aborted', () => isAborted, { withinMs: 3_000 })
    await bodies.unlock()
    expect(await accepted).toBe('stored')
    await stopped
  })

  async function waiting(condition: string): Promise<void> {
    await until('a statement waits for the lock', async () => {
      const { rows } = await observer.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and ${condition}`,
      )
      return rows.length > 0
    })
  }
})
