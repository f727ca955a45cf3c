import { openDatabase } from '@feed-receiver/database'
import { statuses } from '@feed-receiver/core/internal'
import { signDelivery } from '@feed-receiver/core/testing'
import { createInbox } from '@feed-receiver/inbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEvent } from '../../contract/harness.ts'
import { createTarget, type TestTarget } from '../../support/databases.ts'
import { bundle } from './bundle.ts'
import { startWorkerd, type Running } from './start-workerd.ts'
import { secret } from './worker.ts'

describe('the inbox in a worker', () => {
  let target: TestTarget
  let running: Running
  beforeAll(async () => {
    target = await createTarget('postgres')
    if (typeof target.target !== 'string') throw new Error('It is a URL.')
    const program = new URL('worker-of-inbox.ts', import.meta.url)
    running = await startWorkerd(await bundle(program, { hasNode: true }), {
      date: '2026-11-01',
      env: { DATABASE_URL: target.target, FEED_SIGNING_SECRET: secret },
    })
  })
  afterAll(async () => {
    await running.stop()
    await target.drop()
  })

  const deliver = async (event: object) => {
    const { method, headers, body } = signDelivery(event, { secret })
    return (await fetch(running.url, { method, headers, body })).status
  }

  it('creates its tables, stores each event once, and handles it once', async () => {
    const events = Array.from({ length: 20 }, () => makeEvent())
    const [first = makeEvent()] = events
    expect(await deliver(first)).toBe(statuses.stored)
    expect(await deliver(first)).toBe(statuses.duplicate)
    expect(await deliver({ ...first, type: 'other' })).toBe(statuses.id_conflict)
    const answers = await Promise.all(events.flatMap((event) => [deliver(event), deliver(event)]))
    expect(new Set(answers)).toEqual(new Set([statuses.stored, statuses.duplicate]))

    await using database = openDatabase(target.target)
    await database.query('create table notice (event_id text primary key, title text)')
    const drain = async () => (await fetch(`${running.url}scheduled`)).status
    expect(await Promise.all([drain(), drain()])).toEqual([204, 204])
    const { rows } = await database.query('select event_id from notice')
    expect(rows).toHaveLength(events.length)
    await using inbox = createInbox({ database })
    await inbox.start()
    expect(await inbox.entries.count({ state: 'done' })).toMatchObject({ count: events.length })
    expect(await inbox.quarantined.list()).toMatchObject({
      quarantined: [{ reason: 'id_conflict' }],
    })
  })

  it('leaves no connection open', async () => {
    await using database = openDatabase(target.target, { applicationName: 'observer' })
    const others = async () => {
      const { rowCount } = await database.query(
        `select from pg_stat_activity
         where datname = current_database() and application_name like 'feed-receiver%'`,
      )
      return rowCount
    }
    await expect.poll(others).toBe(0)
  })
})
