import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '@feed-receiver/database'
import { Pool, type PoolClient } from 'pg'
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { lockTable } from '../../../../test/support/lock-table.ts'
import { runSql } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { codeOf } from '../errors.ts'
import { createInbox, type Inbox, type InboxOptions, type RunInTransaction } from '../index.ts'

const isClaim = `query like 'with job as (%'`
const readsPauses = `query like 'select type from %.pause %'`

describe('jobs that are due again, with all their attempts', () => {
  let url: string
  let observer: Database

  beforeEach(async () => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    onTestFinished(drop)
    if (typeof target !== 'string') throw new Error('It is a URL.')
    url = target
    observer = openDatabase(target, { applicationName: 'observer' })
    onTestFinished(() => observer.close())
  })

  it('include those of a claim after which the connection was lost', async () => {
    const inbox = await openInbox()
    const claims = await lockTable(observer, 'feed_inbox.entry_body')
    const failed = inbox.drain({}).catch(codeOf)
    await waiting(isClaim)
    const pauses = await lockTable(observer, 'feed_inbox.pause')
    // The worker then reads the pauses again after the claim.
    await delay(800)
    await claims.unlock()
    const { pid } = await waiting(readsPauses)
    await observer.query('select pg_terminate_backend($1)', [pid])
    await pauses.unlock()
    expect(await failed).toBe('unavailable')
    expect(await jobs()).toEqual([{ state: 'created', retries: 0 }])
  })

  it('include those of a claim that is answered after a drain has failed', async () => {
    const inbox = await openInbox()
    const claims = await lockTable(observer, 'feed_inbox.entry_body')
    const failed = inbox.drain({}).catch(codeOf)
    await waiting(`${isClaim} and clock_timestamp() - query_start > interval '5.2 s'`)
    await claims.unlock()
    expect(await failed).toBe('no_answer')
    await claimEnds()
    await expect.poll(jobs).toEqual([{ state: 'created', retries: 0 }])
  })

  it('include those of a claim that is answered while a stop waits for handlers', async () => {
    let onLate = () => {}
    const late = new Promise<void>((resolve) => (onLate = resolve))
    const onError = (error: unknown) => codeOf(error) === 'no_answer' && onLate()
    const inbox = await openInbox({ onError })
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    onTestFinished(() => finish())
    let isRunning = false
    const handle = async () => {
      isRunning = true
      await finished
    }
    await inbox.work({ '*': handle })
    await expect.poll(() => isRunning).toBe(true)
    await inbox.pause({ reason: 'the claim must wait', by: 'ada' })
    await inbox.accept(deliveryOf(makeEvent()))
    const claims = await lockTable(observer, 'feed_inbox.entry_body')
    await inbox.resume()
    await late
    const stopped = inbox.stop()
    await claims.unlock()
    await claimEnds()
    finish()
    await stopped
    expect(await jobs()).toEqual([
      { state: 'created', retries: 0 },
      { state: 'completed', retries: 0 },
    ])
  })

  it('include one whose transaction could not begin during an outage', async () => {
    const pool = new Pool({ connectionString: url })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    let isDown = false
    const transaction: RunInTransaction<PoolClient> = async (run) => {
      if (!isDown) await allowConnections(false)
      isDown = true
      const client = await pool.connect()
      try {
        await client.query('begin')
        const executeSql = (text: string, values: readonly unknown[] = []) =>
          client.query(text, [...values])
        await run(client, { executeSql })
        await client.query('commit')
      } finally {
        client.release(true)
      }
    }
    const inbox = createInbox({ database: url, transaction, onError: () => {} })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    await inbox.accept(deliveryOf(makeEvent()))
    const attempts: number[] = []
    await inbox.work({ '*': (_, { attempt }) => void attempts.push(attempt) })
    await expect.poll(() => isDown).toBe(true)
    await delay(1_000)
    await allowConnections(true)
    await expect.poll(() => attempts).toEqual([1])
  })

  it('do not keep a stop waiting during an outage', async () => {
    let isDown = false
    const transaction: RunInTransaction<undefined> = async () => {
      if (!isDown) await allowConnections(false)
      isDown = true
      throw new Error('The app has no connection.')
    }
    const options = { stopTimeoutMs: 10_000, onError: () => {} }
    const inbox = createInbox({ database: url, transaction, ...options })
    await inbox.start()
    await inbox.accept(deliveryOf(makeEvent()))
    await inbox.work({ '*': () => {} })
    await expect.poll(() => isDown).toBe(true)
    await delay(1_000)
    const startedAt = performance.now()
    await inbox.stop()
    expect(performance.now() - startedAt).toBeLessThan(7_000)
    await allowConnections(true)
    expect(await jobs()).toEqual([{ state: 'active', retries: 0 }])
  })

  it('include that of a handler that lost the connection of a shared transaction', async () => {
    const inbox = await openInbox({ onError: () => {} }, 200)
    const attempts = new Map<number, string>()
    let isDown = false
    await inbox.work(
      {
        '*': async (event, { tx, attempt }) => {
          const { rows } = await tx.query(`select current_setting('statement_timeout') as limit`)
          // Shared transactions have a limit of their own.
          if (!isDown && rows[0]?.['limit'] === '1s') {
            isDown = true
            await allowConnections(false)
            await tx.query('select')
          }
          attempts.set(attempt, event.id)
        },
      },
      { concurrency: 1, shareTransactionMs: 200 },
    )
    await expect.poll(() => isDown).toBe(true)
    await delay(1_000)
    await allowConnections(true)
    const countDone = async () => (await inbox.entries.count({ state: 'done' })).count
    await expect.poll(countDone, { timeout: 8_000 }).toBe(200)
    expect([...attempts.keys()]).toEqual([1])
  })

  it('include those that were claimed ahead before an outage', async () => {
    const inbox = await openInbox({ onError: () => {} }, 200)
    let calls = 0
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    onTestFinished(() => finish())
    let down: Promise<void> | undefined
    const handle = async () => {
      calls += 1
      if (calls <= 100) return
      down ??= allowConnections(false)
      await finished
    }
    await inbox.work({ '*': handle }, { concurrency: 2, shareTransactionMs: 0 })
    await expect.poll(() => calls).toBe(102)
    await down
    await delay(1_000)
    await allowConnections(true)
    const countActive = async () => {
      const { rows } = await observer.query(`select from feed_inbox.job where state = 'active'`)
      return rows.length
    }
    await expect.poll(countActive, { timeout: 8_000 }).toBe(2)
  })

  async function openInbox(options?: InboxOptions, events = 1): Promise<Inbox> {
    const inbox = createInbox({ database: url, ...options })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    for (let sent = 0; sent < events; sent += 50) {
      const some = { length: Math.min(50, events) }
      await Promise.all(Array.from(some, () => inbox.accept(deliveryOf(makeEvent()))))
    }
    return inbox
  }

  /** While they are not allowed, the server also ends those that are open. */
  async function allowConnections(areAllowed: boolean): Promise<void> {
    const name = new URL(url).pathname.slice(1)
    await runSql(inject('postgresUrl'), `alter database ${name} allow_connections ${areAllowed}`)
    if (areAllowed) return
    await runSql(
      inject('postgresUrl'),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
  }

  /** Waits until a statement waits for a lock. */
  async function waiting(condition: string): Promise<{ pid: number }> {
    return await until(`one waits: ${condition}`, async () => {
      const { rows } = await observer.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and ${condition}`,
      )
      return rows[0]
    })
  }

  async function claimEnds(): Promise<void> {
    await until('no claim is in progress', async () => {
      const { rows } = await observer.query(
        `select from pg_stat_activity
         where datname = current_database() and state = 'active' and ${isClaim}`,
      )
      return rows.length === 0
    })
  }

  async function jobs(): Promise<unknown[]> {
    const { rows } = await observer.query(
      `select state, retry_count as retries from feed_inbox.job
       where name = 'feed' order by state`,
    )
    return rows
  }
})
