import type { Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { openStore } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { auditTables, createAudit, type Audit } from './index.ts'
import { createSealing } from './seal-days.ts'

describe('sealing beside a transaction in progress', () => {
  const database = useDatabase('postgres', 'inbox')
  let inbox: Inbox
  let audit: Audit
  let tables: InboxStore['tables']

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    audit = createAudit(inbox)
    await inbox.start()
    const store = { database: database(), source: 'feed', schema: 'feed_inbox' }
    ;({ tables } = await openStore(store, auditTables))
    return () => inbox.stop()
  })

  it('waits for an entry with a smaller id, then seals both', async () => {
    const context = { database: database(), source: 'feed', tables }
    const sealDays = createSealing(context)
    const held = await holdEntry()
    const receivedAt = new Date('2026-03-12T10:00:00Z')
    await inbox.accept({ ...deliveryOf(makeEvent()), receivedAt })
    expect(await sealDays()).toBe(false)
    expect(await sealDays({ waitMs: 50 })).toBe(false)
    await held.commit()
    expect(await sealDays({ signal: AbortSignal.abort() })).toBe(false)
    expect(await sealDays({ waitMs: 60_000 })).toBe(true)
    const { counts, problems, statements } = await audit.report({ month: '2026-03' })
    expect(counts).toMatchObject({ accepted: 2 })
    expect(problems).toMatchObject([{ code: 'pending' }])
    const [day] = statements[0]?.days ?? []
    expect(day).toMatchObject({ day: '2026-03-12', sealed: 2, late: 0, fault: null })
  }, 90_000)

  it('waits ten minutes after midnight for late entries, then for transactions in progress', async () => {
    const source = 'midnight'
    const sealAt = (now: string) => createSealing({ database: atTime(now), source, tables })()
    const sealed = async () => {
      const { rows } = await database().query(
        `select day::text, entry_count as count from feed_inbox.sealed_day where source = $1`,
        [source],
      )
      return rows
    }
    const first = await holdEntry(source, '2026-04-12T23:00:00Z')
    await first.commit()
    // A process whose clock is late may still store entries of that day.
    expect(await sealAt('2026-04-13T00:09:59Z')).toBe(true)
    expect(await sealed()).toEqual([])
    const late = await holdEntry(source, '2026-04-12T23:59:59Z')
    expect(await sealAt('2026-04-13T00:10:00Z')).toBe(false)
    await late.commit()
    expect(await sealed()).toEqual([])
    expect(await sealAt('2026-04-13T00:10:00Z')).toBe(true)
    expect(await sealed()).toEqual([{ day: '2026-04-12', count: 2 }])
  })

  it('continues from the days of another process that seals them first', async () => {
    const source = 'raced'
    const first = await holdEntry(source, '2026-04-12T23:00:00Z')
    await first.commit()
    await createSealing({ database: atTime('2026-04-13T00:10:00Z'), source, tables })()
    const sealAll = createSealing({ database: database(), source, tables })
    const query: Database['query'] = async (text, ...others) => {
      if (text.includes('insert into') && isFirst) {
        isFirst = false
        const second = await holdEntry(source, '2026-04-15T01:00:00Z')
        await second.commit()
        expect(await sealAll()).toBe(true)
      }
      return await database().query(text, ...others)
    }
    let isFirst = true
    const raced = createSealing({ database: { ...database(), query }, source, tables })
    expect(await raced()).toBe(true)
    expect(isFirst).toBe(false)
    const other = createInbox({ database: database(), source })
    onTestFinished(() => other.stop())
    const audited = createAudit(other)
    await other.start()
    expect(await audited.report({ month: '2026-04' })).toMatchObject({
      counts: { accepted: 2 },
      problems: [],
    })
  })

  /** The database, at another time. */
  function atTime(now: string): Database {
    const query: Database['query'] = (text, ...others) =>
      database().query(text.replaceAll('now()', `'${now}'::timestamptz`), ...others)
    return { ...database(), query }
  }

  /** Stores an entry in a transaction that stays open until `commit`. */
  async function holdEntry(
    source = 'feed',
    receivedAt = '2026-03-12T09:00:00Z',
  ): Promise<{ commit: () => Promise<void> }> {
    let letGo = () => {}
    const released = new Promise<void>((resolve) => (letGo = resolve))
    let committed: Promise<void> = Promise.resolve()
    await new Promise<void>((resolve, reject) => {
      committed = database().tx(async (tx) => {
        await tx.query(
          `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
             confirmation, created_at, received_at, handled_at)
           values ($1, 'evt_held ' || $2, 'skipped', 't', 'p', 'c', 't', 'c', now(),
             $2::text::timestamptz, now())`,
          [source, receivedAt],
        )
        resolve()
        await released
      })
      committed.catch(reject)
    })
    return {
      async commit() {
        letGo()
        await committed
      },
    }
  }
})
