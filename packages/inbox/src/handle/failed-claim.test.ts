import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '@feed-receiver/database'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget } from '../../../../test/support/databases.ts'
import { lockTable } from '../../../../test/support/lock-table.ts'
import { until } from '../../../../test/support/until.ts'
import { codeOf } from '../errors.ts'
import { createInbox, type Inbox, type InboxOptions } from '../index.ts'

const isClaim = `query like 'with job as (%'`
const readsPauses = `query like 'select type from %.pause %'`

describe('jobs that are due again, with all their attempts', () => {
  let observer: Database
  let openInbox: (options?: InboxOptions) => Promise<Inbox>

  beforeEach(async () => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    onTestFinished(drop)
    observer = openDatabase(target, { applicationName: 'observer' })
    onTestFinished(() => observer.close())
    openInbox = async (options) => {
      const inbox = createInbox({ database: target, ...options })
      onTestFinished(() => inbox.stop())
      await inbox.start()
      await inbox.accept(deliveryOf(makeEvent()))
      return inbox
    }
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
