import { createReceiver, type Observation, type Reason } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import type { Database } from '@feed-receiver/database'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { startPostgres } from '../../../../test/support/postgres.ts'
import { tablesIn } from '../entry/tables.ts'
import { createInbox, type Inbox, type InboxOptions } from '../index.ts'
import { createRejectionCounts } from './count-rejections.ts'

const secret = 'feed_whsec_refusaltest0123456789abcdef'
const forged = (event = makeEvent()) => signDelivery(event, { secret: `${secret}_other` })

function receiverOf(inbox: Inbox) {
  return createReceiver({ secrets: secret, inbox, observe: () => {} })
}

describeOnEach('rejections on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let number = 0

  /** A new inbox on the database, and the statements that it runs. */
  async function startInbox(options: InboxOptions = {}) {
    const statements: string[] = []
    const counted: Database = {
      ...database(),
      query: (text, ...rest) => {
        statements.push(text)
        return database().query(text, ...rest)
      },
    }
    number += 1
    const source = `source_${number}`
    const inbox = createInbox({ database: counted, source, ...options })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const writes = () => statements.filter((text) => text.includes('.rejection '))
    return { inbox, source, statements, writes }
  }

  function reject(
    inbox: Pick<Inbox, 'answered'>,
    reason: string,
    more: Partial<Observation> = {},
  ): void {
    const given = reason as Reason
    inbox.answered({ notes: [], reason: given, status: 401, durationMs: 1, ...more })
  }

  it('are summed by reason across the inboxes of one database', async () => {
    const { inbox, source } = await startInbox()
    const other = createInbox({ database: database(), source })
    await other.start()
    for (const one of [inbox, other]) {
      const receiver = receiverOf(one)
      for (let count = 0; count < 5; count += 1) await receiver.receive(forged())
      await receiver.receive({ ...forged(), headers: {} })
    }
    await Promise.all([inbox.stop(), other.stop()])
    await inbox.start()
    const rows = await inbox.rejections()
    expect(rows.toSorted((one, next) => one.count - next.count)).toMatchObject([
      { reason: 'signature_missing', count: 2, status: 401, sender: 'pause', cause: null },
      { reason: 'signature_mismatch', count: 10, fix: expect.stringContaining('secret') },
    ])
  })

  it('are written at once, and a flood of them in one statement', async () => {
    const { inbox, writes } = await startInbox()
    const receiver = receiverOf(inbox)
    await receiver.receive(forged())
    await expect.poll(() => inbox.rejections()).toMatchObject([{ count: 1 }])
    for (let count = 0; count < 2_000; count += 1) await receiver.receive(forged())
    expect(writes().filter((text) => text.startsWith('insert'))).toHaveLength(1)
    await inbox.stop()
    expect(writes().filter((text) => text.startsWith('insert'))).toHaveLength(2)
    await inbox.start()
    expect(await inbox.rejections()).toMatchObject([{ count: 2_001 }])
  })

  it('add no statement to an accepted delivery', async () => {
    const { inbox, statements, writes } = await startInbox()
    const cost = async (accepting: Parameters<typeof createReceiver>[0]['inbox']) => {
      const receiver = createReceiver({ secrets: secret, inbox: accepting })
      const before = statements.length
      const delivery = signDelivery(makeEvent(), { secret })
      for (const status of [202, 200]) {
        expect(await receiver.receive(delivery)).toMatchObject({ status })
      }
      await receiver.receive(signDelivery({ no: 'event' }, { secret }))
      return statements.length - before
    }
    const { accept, quarantine } = inbox
    expect(await cost(inbox)).toBe(await cost({ accept, quarantine }))
    expect(writes()).toEqual([])
  })

  it('store nothing of the delivery in the database', embedded, async () => {
    const { inbox, source } = await startInbox()
    const event = makeEvent({ type: 'marker_of_the_body' })
    const delivery = forged(event)
    await receiverOf(inbox).receive({
      ...delivery,
      headers: { ...delivery.headers, 'user-agent': 'marker_of_a_header' },
    })
    await inbox.stop()
    const { rows } = await database().query(
      'select * from feed_inbox.rejection where source = $1',
      [source],
    )
    expect(rows).toHaveLength(1)
    const stored = JSON.stringify(rows)
    for (const part of ['marker', event.id, delivery.headers['feed-signature'] ?? 'missing']) {
      expect(stored).not.toContain(part)
    }
  })

  it(
    'stay in memory before the start, and while their table lacks a column',
    embedded,
    async () => {
      const errors: unknown[] = []
      const { inbox, source } = await startInbox({ onError: (error) => errors.push(error) })
      await inbox.stop()
      reject(inbox, 'store_failed', { status: 503, error: new Error('no\u0000 database') })
      await database().query('alter table feed_inbox.rejection rename column count to away')
      await inbox.start()
      reject(inbox, 'store_failed', { status: 503 })
      await expect.poll(() => errors).toHaveLength(1)
      await database().query('alter table feed_inbox.rejection rename column away to count')
      reject(inbox, 'store_failed', { status: 503 })
      await inbox.stop()
      await inbox.start()
      expect(await inbox.rejections()).toMatchObject([
        { reason: 'store_failed', count: 3, sender: 'retry', cause: 'no database' },
      ])
      expect(errors).toMatchObject([{ code: '42703' }])
      const other = createInbox({ database: database(), source: `${source}_other` })
      await other.start()
      expect(await other.rejections()).toEqual([])
      await other.stop()
    },
  )

  it('report an outage of their table once, and a second one again', embedded, async () => {
    const errors: unknown[] = []
    let failures = 0
    const counted: Database = {
      ...database(),
      async query(text, ...rest) {
        try {
          return await database().query(text, ...rest)
        } catch (error) {
          failures += 1
          throw error
        }
      },
    }
    const rename = (from: string, to: string) =>
      database().query(`alter table feed_inbox.rejection rename column ${from} to ${to}`)
    const source = 'with_outages'
    const stored = async () => {
      const text = 'select sum(count)::integer as count from feed_inbox.rejection where source = $1'
      return (await database().query(text, [source])).rows
    }
    const counts = createRejectionCounts(source)
    const own = { answered: counts.add }
    const endPause = () => vi.advanceTimersByTimeAsync(5_000)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = { database: counted, tables: tablesIn('feed_inbox'), source }
    const stop = counts.writeTo(store, (error) => errors.push(error))

    await rename('count', 'away')
    reject(own, 'store_failed')
    await expect.poll(() => failures).toBe(1)
    await endPause()
    await expect.poll(() => failures).toBe(2)
    expect(errors).toHaveLength(1)

    await rename('away', 'count')
    await endPause()
    await expect.poll(stored).toEqual([{ count: 1 }])
    await rename('count', 'away')
    reject(own, 'store_failed')
    await endPause()
    await expect.poll(() => failures).toBe(3)
    expect(errors).toMatchObject([{ code: '42703' }, { code: '42703' }])

    await rename('away', 'count')
    await stop()
    expect(await stored()).toEqual([{ count: 2 }])
  })

  it('keep the latest status and cause, also if another process writes late', async () => {
    const source = 'out_of_order'
    const [late, prompt] = [createRejectionCounts(source), createRejectionCounts(source)]
    const rejectWith = (counts: typeof late, status: number, text: string) =>
      reject({ answered: counts.add }, 'store_failed', { status, error: new Error(text) })
    rejectWith(late, 503, 'the earlier one')
    const earlier = performance.now()
    await expect.poll(() => performance.now() - earlier).toBeGreaterThan(5)
    rejectWith(prompt, 500, 'the later one')
    const store = { database: database(), tables: tablesIn('feed_inbox'), source }
    for (const counts of [prompt, late]) await counts.writeTo(store, () => {})()
    const { rows } = await database().query(
      `select status, cause from feed_inbox.rejection where source = $1 order by hour desc limit 1`,
      [source],
    )
    expect(rows).toEqual([{ status: 500, cause: 'the later one' }])
  })

  it('share a row if their reasons are unknown', async () => {
    const { inbox } = await startInbox()
    reject(inbox, 'constructor')
    reject(inbox, '__proto__', { status: Number.NaN })
    for (let count = 0; count < 1_000; count += 1)
      reject(inbox, `made_up_${count}`, { status: 409 })
    await inbox.stop()
    await inbox.start()
    expect(await inbox.rejections()).toMatchObject([
      { reason: 'other', count: 1_002, status: 409, fix: expect.stringContaining('code around') },
    ])
  })

  it('are not lost when the clock jumps', async () => {
    const { inbox } = await startInbox()
    onTestFinished(() => void vi.useRealTimers())
    for (const hours of [5, -5]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
      reject(inbox, 'outside_window', { status: 503, skewSeconds: hours * 3_600 })
      await inbox.stop()
      vi.useRealTimers()
      await inbox.start()
    }
    const [row] = await inbox.rejections()
    expect(row).toMatchObject({ count: 2, cause: expect.stringContaining('This clock is 18000 s') })
    // The embedded database uses the clock of this process.
    const latest = Date.now() + (kind === 'postgres' ? 310_000 : 5 * 3_600_000)
    expect(Date.parse(row?.lastAt ?? '')).toBeLessThan(latest)
  })

  it('are deleted when they are old', async () => {
    const { inbox, source } = await startInbox()
    reject(inbox, 'signature_missing')
    await expect.poll(() => inbox.rejections()).toHaveLength(1)
    await inbox.prune()
    expect(await inbox.rejections()).toHaveLength(1)
    await database().query(
      `update feed_inbox.rejection set last_at = now() - interval '91 days' where source = $1`,
      [source],
    )
    await inbox.prune({ historyAfterDays: 100 })
    expect(await inbox.rejections({ hours: 24 * 300 })).toHaveLength(1)
    await inbox.prune()
    expect(await inbox.rejections({ hours: 24 * 300 })).toEqual([])
  })

  it.each([0, -1, Number.NaN, 9_000])('are not looked up for %d hours', async (hours) => {
    const { inbox } = await startInbox()
    await expect(inbox.rejections({ hours })).rejects.toMatchObject({ code: 'bad_option' })
  })
})

it('stores rejections that happened while PostgreSQL was down', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const inbox = createInbox({ database: server.url, onError: () => {} })
  await inbox.start()
  onTestFinished(() => inbox.stop())
  const receiver = receiverOf(inbox)
  server.kill()
  // A killed process lives on for a moment.
  await expect.poll(() => inbox.health(), { timeout: 20_000 }).toMatchObject({ database: 'down' })
  for (let count = 0; count < 3; count += 1) {
    const reply = await receiver.receive(signDelivery(makeEvent(), { secret }))
    expect(reply.status).toBe(503)
  }
  await receiver.receive(forged())
  await server.restart()
  await expect
    .poll(() => inbox.rejections().catch(() => []), { timeout: 30_000 })
    .toMatchObject([
      { reason: 'signature_mismatch', count: 1 },
      { reason: 'store_failed', count: 3, cause: expect.stringContaining('PostgreSQL') },
    ])
}, 60_000)
