import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, inboxSql, type Inbox } from '@feed-receiver/inbox'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import {
  createTarget,
  describeOnEach,
  embedded,
  useDatabase,
} from '../../../../test/support/databases.ts'
import { lockTable } from '../../../../test/support/lock-table.ts'
import { runSql } from '../../../../test/support/postgres.ts'
import { emptyInbox } from '../../../../test/support/empty-inbox.ts'
import { useRole } from '../../../../test/support/use-role.ts'
import { auditInbox, auditTables, createAudit, type Audit, type AuditOptions } from './index.ts'

const month = '2026-03'

describeOnEach('a delivery statement on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox
  let statements: Audit

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    statements = createAudit(inbox)
    await inbox.start()
    return () => inbox.stop()
  })

  beforeEach(async () => {
    await emptyInbox(database())
    await database().query('delete from feed_inbox.sealed_day')
    await database().query('delete from feed_inbox.signed_statement')
  })

  const audit = (options: AuditOptions = {}) => statements.report({ month, ...options })
  const codesOf = ({ problems }: { problems: { code: string }[] }) =>
    problems.map(({ code }) => code)
  const remove = (id: string) =>
    database().query('delete from feed_inbox.entry where event_id = $1', [id])

  it('combines push, pull, duplicates, handlers and effects', embedded, async () => {
    const at = new Date('2026-03-12T10:00:00Z')
    await inbox.acceptPage([], { stream: 'all', at: new Date('2026-03-01T00:00:00Z') })
    const both = await push('2026-03-02T10:00:00Z')
    await inbox.accept(both)
    await push('2026-03-03T10:00:00Z', { type: 'dies' })
    await push('2026-03-03T11:00:00Z', { type: 'unknown' })
    await push('2026-03-03T12:00:00Z', { type: 'destination_test' })
    const pulledOnly = makeEvent({ created_at: '2026-03-12T09:00:00Z' })
    const events = [both.event, pulledOnly as FeedEvent]
    await inbox.acceptPage(events, { stream: 'all', at, expects: () => true })
    await inbox.acceptPage([], { stream: 'all', at: new Date('2026-04-01T00:01:00Z') })
    await inbox.quarantine(
      { ...deliveryOf({}), receivedAt: at, eventId: null, detail: 'text' },
      'not_an_event',
    )
    await inbox.drain(
      {
        model_release: (_, { effects }) => effects.once('mail', () => 1),
      },
      { onFailed: () => {}, onDead: () => {} },
    )
    await database().query(
      `update feed_inbox.entry set state = 'dead', handled_at = now() where type = 'dies'`,
    )
    const report = await audit()
    expect(report).toMatchObject({
      source: 'feed',
      from: '2026-03-01T00:00:00.000Z',
      until: '2026-04-01T00:00:00.000Z',
      isPartial: false,
      isSealed: true,
      pull: 'whole',
      counts: {
        accepted: 5,
        testDeliveries: 1,
        events: 4,
        pushed: 3,
        pulled: 2,
        pullOnly: 1,
        missed: 1,
        done: 2,
        skipped: 1,
        dead: 1,
        pending: 0,
        deliveries: 4,
        duplicates: 1,
        effects: 2,
        storedTwice: 0,
        removed: 0,
      },
    })
    expect(codesOf(report)).toEqual(['dead', 'quarantined'])
    const [statement] = report.statements
    expect(statement?.quarantined).toEqual([{ reason: 'not_an_event', state: 'open', count: 1 }])
    expect(statement?.days).toHaveLength(30)
    expect(statement?.days[0]).toMatchObject({ day: '2026-03-02', sealed: 1, found: 1 })
  })

  it('says which part of the month pull covers', async () => {
    await push('2026-03-02T10:00:00Z')
    expect(await audit()).toMatchObject({ pull: 'none' })
    await inbox.acceptPage([], { stream: 'all', at: new Date('2026-03-05T00:00:00Z') })
    await inbox.acceptPage([], { stream: 'all', at: new Date('2026-04-01T00:00:00Z') })
    expect(await audit()).toMatchObject({ pull: 'part' })
    expect(await statements.report({ month: '2026-02' })).toMatchObject({ pull: 'none' })
    await database().query(`update feed_inbox.poll_stream set started_at = '2026-02-01'`)
    expect(await audit()).toMatchObject({ pull: 'whole' })
    const gap = { stream: 'all', at: new Date('2026-04-02T00:00:00Z'), gapCode: 'cursor_expired' }
    await inbox.acceptPage([], gap)
    expect(await audit()).toMatchObject({ pull: 'whole' })
    await database().query(`update feed_inbox.stream_gap set since = '2026-03-30'`)
    const report = await audit()
    expect(report.pull).toBe('part')
    expect(report.statements[0]?.streams[0]?.gaps).toMatchObject([{ code: 'cursor_expired' }])
  })

  it('names the day of a removed row', async () => {
    const events = [await push('2026-03-12T01:00:00Z'), await push('2026-03-12T02:00:00Z')]
    await push('2026-03-13T02:00:00Z')
    await handleAll()
    const { head } = await audit()
    expect(await audit({ expectedHead: head.toUpperCase() })).toMatchObject({ problems: [], head })
    await remove(events[0]?.event.id ?? '')
    const report = await audit()
    expect(report.problems).toEqual([
      {
        code: 'rows_removed',
        message: expect.stringContaining(
          'Day 2026-03-12: sealed 2 entries, found 1; the chain differs.',
        ),
      },
    ])
    expect(await statements.report({ month: '2026-04' })).toMatchObject({ problems: [] })
  })

  it.each([
    ['event_id', `event_id = 'evt_other'`],
    ['sha256', `sha256 = repeat('a', 64)`],
    ['received_at', `received_at = received_at + interval '1 microsecond'`],
  ])('names the day of a row with a changed %s', async (_, change) => {
    await push('2026-03-12T01:00:00Z')
    await handleAll()
    await audit()
    await database().query(`update feed_inbox.entry set ${change}`)
    expect(codesOf(await audit())).toContain('rows_changed')
  })

  it('detects an added row with a sealed id, and changed bytes', async () => {
    const { event } = await push('2026-03-12T01:00:00Z')
    const other = await push('2026-03-12T02:00:00Z')
    await push('2026-03-12T03:00:00Z')
    await handleAll()
    const { rows } = await database().query('select id from feed_inbox.entry where event_id = $1', [
      event.id,
    ])
    await remove(event.id)
    await database().query('delete from feed_inbox.entry_body where entry_id = $1', [
      rows[0]?.['id'],
    ])
    await audit()
    await database().query(
      `insert into feed_inbox.entry (id, source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at)
       overriding system value
       values ($1, 'feed', 'evt_forged', 'done', 't', 'p', 'c', 't', 'c', now(), '2026-03-12')`,
      [rows[0]?.['id']],
    )
    expect(codesOf(await audit())).toEqual(['rows_added'])
    await remove('evt_forged')
    await database().query(
      `update feed_inbox.entry_body set body = 'x' where entry_id =
         (select id from feed_inbox.entry where event_id = $1)`,
      [other.event.id],
    )
    expect(codesOf(await audit())).toEqual(['bodies_changed'])
  })

  it('detects a changed or deleted seal', embedded, async () => {
    await push('2026-03-12T01:00:00Z')
    await handleAll()
    await audit()
    const sealed = `feed_inbox.sealed_day where day = '2026-03-20'`
    const { rows } = await database().query<{ head: Uint8Array }>(`select head from ${sealed}`)
    const write = (head: Uint8Array | undefined) =>
      database().query(`update feed_inbox.sealed_day set head = $1 where day = '2026-03-20'`, [
        head,
      ])
    await write(Buffer.alloc(32, 1))
    expect((await audit()).problems.map(({ message }) => message.slice(0, 14))).toEqual([
      'Day 2026-03-20',
      'Day 2026-03-21',
    ])
    await write(rows[0]?.head)
    expect(await audit()).toMatchObject({ problems: [] })
    await database().query(`delete from ${sealed}`)
    expect(codesOf(await audit())).toEqual(['seal_missing'])
  })

  it('detects rewritten rows and seals with an externally stored head', async () => {
    await push('2026-03-12T01:00:00Z')
    const second = await push('2026-03-12T02:00:00Z')
    await handleAll()
    const { head: kept } = await audit()
    await remove(second.event.id)
    await database().query('delete from feed_inbox.sealed_day')
    const rewritten = await audit()
    expect(rewritten.problems).toEqual([])
    expect(rewritten.head).not.toBe(kept)
    expect(codesOf(await audit({ expectedHead: kept }))).toEqual(['head_differs'])
  })

  it('signs a month whose head is stable, and compares it later', embedded, async () => {
    await push('2026-03-12T01:00:00Z')
    await handleAll()
    const signed = await audit({ signedBy: 'Ana Lima' })
    expect(signed.signed).toMatchObject({ by: 'Ana Lima' })
    const later = await audit()
    expect(later.statements[0]?.signatures).toMatchObject([
      { by: 'Ana Lima', head: signed.head, counts: { events: 1 } },
    ])
    expect(later.problems).toEqual([])
    await database().query('delete from feed_inbox.sealed_day')
    await database().query('delete from feed_inbox.entry')
    await push('2026-03-12T01:00:00Z')
    await handleAll()
    expect(codesOf(await audit())).toEqual(['signed_differs'])
    await expect(audit({ signedBy: 'Bo' })).rejects.toMatchObject({ code: 'not_sealed' })
    const current = statements.report({ month: thisMonth(), signedBy: 'Bo' })
    await expect(current).rejects.toMatchObject({ code: 'not_sealed' })
  })

  it('counts a late entry on the day after the sealed days', async () => {
    await push('2026-03-12T01:00:00Z')
    await handleAll()
    const { head } = await audit()
    await push('2026-03-12T05:00:00Z')
    await handleAll()
    expect(await audit()).toMatchObject({ head, problems: [], counts: { accepted: 1 } })
    // For ten minutes after midnight, yesterday is not sealed yet.
    const day = new Date(Date.now() - 600_000).toISOString().slice(0, 10)
    const openMonth = day.slice(0, 7)
    const current = await statements.report({ month: openMonth })
    const isPartial = openMonth === thisMonth()
    expect(current).toMatchObject({ isPartial, isSealed: false, counts: { accepted: 1 } })
    const late = expect.objectContaining({ day, late: 1, sealed: null })
    expect(current.statements[0]?.days).toContainEqual(late)
  })

  it('keeps the head when push adds bytes, pull revises or an operator reprocesses', async () => {
    const pulled = makeEvent() as FeedEvent
    const at = new Date('2026-03-12T10:00:00Z')
    await inbox.acceptPage([pulled], { stream: 'all', at })
    const pushed = await push('2026-03-12T11:00:00Z')
    await handleAll()
    const { head } = await audit()
    await inbox.accept(deliveryOf(pulled))
    await inbox.accept(pushed)
    const corrected = { ...pushed.event, data: { ...pushed.event.data, title: 'Other' } }
    await inbox.acceptPage([corrected], { stream: 'all', at: new Date() })
    await handleAll()
    await inbox.entries.reprocess({ ids: [pulled.id] }, { by: 'Ana' })
    await handleAll()
    const counts = { pullOnly: 0, duplicates: 1, revised: 1, done: 2 }
    expect(await audit()).toMatchObject({ head, problems: [], counts })
    const current = await statements.report({ month: thisMonth() })
    const reprocesses = [{ kind: 'reprocess', count: 1, entryCount: 1 }]
    expect(current.statements[0]?.operations).toEqual(reprocesses)
  })

  it('distinguishes rows deleted by retention from rows deleted by hand', embedded, async () => {
    for (const hour of ['01', '02', '03']) await push(`2026-03-12T${hour}:00:00Z`)
    await push('2026-03-12T04:00:00Z', { type: 'destination_test' })
    const kept = await push('2026-03-12T05:00:00Z')
    await handleAll()
    const { head } = await audit()
    await database().query(
      `update feed_inbox.entry set handled_at = received_at where event_id <> $1`,
      [kept.event.id],
    )
    await fillNewest()
    const pruned = await Promise.all([
      inbox.prune({ rowsAfterDays: 30 }),
      inbox.prune({ rowsAfterDays: 30 }),
    ])
    expect(pruned.reduce((sum, { deleted }) => sum + deleted, 0)).toBe(4)
    const report = await audit()
    expect(report).toMatchObject({
      head,
      problems: [],
      counts: { accepted: 5, testDeliveries: 1, events: 4, done: 4, skipped: 0, removed: 4 },
    })
    const day = report.statements[0]?.days.find((one) => one.day === '2026-03-12')
    expect(day).toMatchObject({ sealed: 5, found: 1, removed: 4, fault: null })
    expect(day?.removedAt).toMatch(/^20/)
    await remove(kept.event.id)
    expect(codesOf(await audit())).toEqual(['rows_removed'])
  })

  it('finds nothing wrong if retention deletes entries of a day meanwhile', embedded, async () => {
    for (const hour of ['01', '02', '03']) await push(`2026-03-12T${hour}:00:00Z`)
    await handleAll()
    const { head } = await audit()
    await database().query('update feed_inbox.entry set handled_at = received_at')
    await fillNewest()
    // The first transaction reads the entries of a day, after the seals of all days were read.
    let pruning: Promise<unknown> | undefined
    const tx: Database['tx'] = async (...given) => {
      await (pruning ??= inbox.prune({ rowsAfterDays: 30 }))
      return await database().tx(...given)
    }
    const databases = [{ ...database(), tx }]
    const report = await auditInbox({ databases, source: 'feed', schema: 'feed_inbox', month })
    expect(await pruning).toMatchObject({ deleted: 3 })
    expect(report).toMatchObject({
      head,
      problems: [],
      counts: { accepted: 3, pushed: 3, done: 3, removed: 3 },
    })
  })

  it('seals without an inbox, whose retention then needs the audit', embedded, async () => {
    const source = 'sealed_by_report'
    const report = () =>
      auditInbox({ databases: [database()], source, schema: 'feed_inbox', month })
    await using unaware = createInbox({ database: database(), source })
    await unaware.start()
    const receivedAt = new Date('2026-03-12T01:00:00Z')
    await unaware.accept({ ...deliveryOf(makeEvent()), receivedAt })
    await unaware.drain({ '*': () => {} })
    await database().query(`update feed_inbox.entry set handled_at = received_at`)
    await fillNewest(source)
    expect(await report()).toMatchObject({ isSealed: true, problems: [] })
    await expect(unaware.prune({ rowsAfterDays: 30 })).rejects.toMatchObject({
      code: 'extension_missing',
      message: expect.stringContaining(`the extension audit of ${source}`),
    })
    await using aware = createInbox({ database: database(), source })
    createAudit(aware)
    await aware.start()
    expect(await aware.prune({ rowsAfterDays: 30 })).toMatchObject({ deleted: 1 })
    expect(await report()).toMatchObject({ problems: [], counts: { accepted: 1, removed: 1 } })
  })

  it('begins and ends days and months at midnight UTC', async () => {
    const times = ['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00Z', '2026-03-31T23:59:59.999Z']
    for (const time of [...times, '2026-04-01T00:00:00Z', '2024-02-29T12:00:00Z']) await push(time)
    await handleAll()
    const countOf = async (of: string) => (await statements.report({ month: of })).counts.accepted
    expect(await countOf('2026-02')).toBe(1)
    expect(await countOf('2026-03')).toBe(2)
    expect(await countOf('2026-04')).toBe(1)
    const leap = await statements.report({ month: '2024-02' })
    expect(leap.statements[0]?.days).toMatchObject([{ day: '2024-02-29', sealed: 1 }])
    expect(leap.statements[0]?.previousHead).toBe('0'.repeat(64))
  })

  it('seals an entry from the future only on its day', async () => {
    await push('2026-03-12T01:00:00Z')
    await push('2098-03-12T01:00:00Z')
    await handleAll()
    expect(await audit()).toMatchObject({ counts: { accepted: 1 }, problems: [] })
    expect(await statements.report({ month: thisMonth() })).toMatchObject({
      counts: { accepted: 0 },
    })
  })

  it('seals once when several processes seal concurrently', async () => {
    const other = createInbox({ database: database() })
    onTestFinished(() => other.stop())
    await other.start()
    for (const hour of ['01', '02', '03']) await push(`2026-03-12T${hour}:00:00Z`)
    await handleAll()
    const reports = await Promise.all([audit(), createAudit(other).report({ month }), audit()])
    expect(new Set(reports.map(({ head }) => head)).size).toBe(1)
    expect(reports.flatMap(({ problems }) => problems)).toEqual([])
    expect(await audit()).toMatchObject({ head: reports[0].head, problems: [] })
  })

  it('has the same heads as the SQL in the guide', embedded, async () => {
    const at = new Date('2026-03-11T10:00:00Z')
    await inbox.acceptPage([makeEvent() as FeedEvent], { stream: 'all', at })
    for (const day of ['12', '12', '14', '30']) await push(`2026-03-${day}T05:00:00.5Z`)
    await push('2026-03-12T06:00:00Z', { id: 'evt_é|雪' })
    await handleAll()
    const { head } = await audit()
    const compute = async () => (await database().query<HeadRow>(await readGuideSql())).rows
    const rows = await compute()
    expect(rows.find(({ day }) => day === '2026-03-31')?.computed).toBe(head)
    expect(rows.filter(({ computed, sealed_head }) => computed !== sealed_head)).toEqual([])
    await remove('evt_é|雪')
    const wrong = (await compute()).find(({ computed, sealed_head }) => computed !== sealed_head)
    expect(wrong).toMatchObject({ day: '2026-03-12', sealed: 3, found: 2 })
  })

  it('seals during the maintenance of a drain', embedded, async () => {
    await push(new Date(Date.now() - 5 * 86_400_000).toISOString())
    const fresh = createInbox({ database: database() })
    createAudit(fresh)
    onTestFinished(() => fresh.stop())
    await fresh.start()
    await fresh.drain({ '*': () => {} })
    const { rows } = await database().query('select from feed_inbox.sealed_day')
    expect(rows.length).toBeOneOf([4, 5])
  })

  it('rejects a future month, and an invalid month, head or name', embedded, async () => {
    for (const wrong of ['2999-01', '2026-13', '2026-3', 'March']) {
      await expect(statements.report({ month: wrong })).rejects.toThrow('month: ')
    }
    await expect(audit({ expectedHead: 'abc' })).rejects.toThrow('expectedHead: ')
    await expect(audit({ signedBy: ' ' })).rejects.toThrow('signedBy: ')
    const empty = await audit()
    expect(empty).toMatchObject({ head: '0'.repeat(64), counts: { accepted: 0 }, problems: [] })
    expect((await statements.report()).isPartial).toBe(false)
  })

  async function push(receivedAt: string, members: object = {}) {
    const delivery = { ...deliveryOf(makeEvent(members)), receivedAt: new Date(receivedAt) }
    await inbox.accept(delivery)
    return delivery
  }

  async function handleAll(): Promise<void> {
    await inbox.drain({ '*': () => {} })
  }

  /** Retention keeps the newest 1,000 entries. */
  async function fillNewest(source = 'feed'): Promise<void> {
    await database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at, handled_at)
       select $1, 'evt_newest_' || n, 'done', 't', 'p', 'c', 't', 'c', at, at, at
       from generate_series(1, 1000) n, lateral (select now() - n * interval '1 second' as at) times`,
      [source],
    )
  }
})

describe('a statement on PostgreSQL', () => {
  const database = useDatabase('postgres', 'inbox')
  const { name: role, url, setReadOnly } = useRole(database)

  beforeAll(async () => {
    await using inbox = createInbox({ database: database() })
    createAudit(inbox)
    await inbox.start()
    await database().query(`grant all on all tables in schema feed_inbox to ${role}`)
    await inbox.accept({ ...deliveryOf(makeEvent()), receivedAt: new Date('2026-03-12T01:00:00Z') })
  })

  const reportOf = (databases: Database[]) =>
    auditInbox({ databases, source: 'feed', schema: 'feed_inbox', month })

  it('seals nothing on a server that accepts only reads', async () => {
    await setReadOnly('on')
    await using readOnly = openDatabase(url())
    const report = await reportOf([readOnly])
    expect(report).toMatchObject({ isSealed: false, counts: { accepted: 1 } })
    expect(report.statements).toMatchObject([{ isReadOnly: true }])
    await setReadOnly('off')
  })

  it('reads fewer entries at once after a statement took too long', async () => {
    await using hurried = openDatabase(url(), { queryTimeoutMs: 1_000 })
    await hurried.open()
    const lock = await lockTable(database(), 'feed_inbox.entry_body')
    // Longer than one statement may take.
    const [report] = await Promise.all([reportOf([hurried]), delay(1_500).then(lock.unlock)])
    expect(report.counts).toMatchObject({ accepted: 1, changedBodies: 0 })
  })
})

it('gets its tables from the SQL for an owner', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  if (typeof target !== 'string') throw new Error('not a URL')
  const role = decodeURIComponent(new URL(target).username)
  await runSql(target, await inboxSql({ role, extensions: [auditTables] }))
  await using inbox = createInbox({ database: target, migrate: false })
  const statements = createAudit(inbox)
  await inbox.start()
  expect(await statements.report()).toMatchObject({ counts: { accepted: 0 }, problems: [] })
})

describe('a statement over shards', () => {
  const one = useDatabase('postgres', 'inbox')
  const other = useDatabase('postgres', 'inbox')

  it('finds an event stored twice although the index says that there is none', async () => {
    await using inbox = createInbox({ database: one(), schema: 'misled' })
    const statements = createAudit(inbox)
    await inbox.start()
    const { event, ...delivery } = deliveryOf(makeEvent())
    await inbox.accept({ ...delivery, event, receivedAt: new Date('2026-03-12T01:00:00Z') })
    const unique = (isUnique: boolean) =>
      one().query(
        `update pg_index set indisunique = $1
         where indexrelid = 'misled.entry_source_event_id_key'::regclass`,
        [isUnique],
      )
    // As if it had been in another order when the second one came.
    await unique(false)
    const columns =
      'source, event_id, state, type, provider, category, title, confirmation, created_at'
    await one().query(
      `insert into misled.entry (${columns}, received_at)
       select ${columns}, received_at + interval '1 hour' from misled.entry`,
    )
    await unique(true)
    const report = await statements.report({ month })
    expect(report.counts).toMatchObject({ accepted: 2, storedTwice: 1 })
    expect(report.problems).toContainEqual(expect.objectContaining({ code: 'stored_twice' }))
  })

  it('sums shards, combines their heads, and finds an event stored in two shards', async () => {
    const parts = [createInbox({ database: one() }), createInbox({ database: other() })]
    for (const part of parts) createAudit(part)
    for (const part of parts) await part.start()
    onTestFinished(() => Promise.all(parts.map((part) => part.stop())).then(() => undefined))
    const deliveries = Array.from({ length: 8 }, () => ({
      ...deliveryOf(makeEvent()),
      receivedAt: new Date('2026-03-12T01:00:00Z'),
    }))
    for (const [index, delivery] of deliveries.entries()) {
      await parts[index % parts.length]?.accept(delivery)
    }
    for (const part of parts) await part.drain({ '*': () => {} })
    const databases = [one(), other()]
    const audit = (options: AuditOptions = {}) =>
      auditInbox({ databases, source: 'feed', schema: 'feed_inbox', month, ...options })
    const report = await audit()
    expect(report).toMatchObject({ problems: [], counts: { events: 8, done: 8, storedTwice: 0 } })
    expect(report.statements).toHaveLength(2)
    expect(report.statements.map(({ head }) => head)).not.toContain(report.head)
    expect(await audit({ expectedHead: report.head })).toMatchObject({ problems: [] })
    const [first] = deliveries
    if (first) await Promise.all(parts.map((part) => part.accept(first)))
    const storedTwice = await audit()
    expect(storedTwice.counts.storedTwice).toBe(1)
    // It may also be pending, unless the day was sealed before it came.
    expect(storedTwice.problems).toContainEqual(expect.objectContaining({ code: 'stored_twice' }))
  })
})

interface HeadRow {
  day: string
  sealed: number
  found: number
  computed: string
  sealed_head: string
}

async function readGuideSql(): Promise<string> {
  const guide = await readFile(new URL('../../../../docs/audit.md', import.meta.url), 'utf8')
  return /```sql\n(.*?)```/s.exec(guide)?.[1]?.replace(/;\s*$/, '') ?? ''
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7)
}
