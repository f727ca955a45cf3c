import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { createTarget } from '../../../test/support/databases.ts'
import { until } from '../../../test/support/until.ts'
import { createInbox } from './index.ts'

describe('a stopped inbox', () => {
  it('keeps no connection and no timer, so the process can exit', async () => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    onTestFinished(drop)
    const observer = openDatabase(target, { applicationName: 'observer' })
    onTestFinished(() => observer.close())
    const connections = async () => {
      const { rows } = await observer.query(
        `select from pg_stat_activity
         where datname = current_database() and application_name like 'feed-receiver%'`,
      )
      return rows.length
    }
    await observer.open()
    const timersBefore = countTimers()

    // Longer than the test, so a timer of stop itself would still exist at the end.
    const inbox = createInbox({ database: target, stopTimeoutMs: 600_000 })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    await inbox.work({ '*': () => {} })
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
    await inbox.health()
    expect(await connections()).toBeGreaterThan(1)
    await inbox.stop()
    await until('every connection is closed', async () => (await connections()) === 0)
    await until('every timer is over', () => countTimers() <= timersBefore)
  })
})

/** The timers that keep this process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}
