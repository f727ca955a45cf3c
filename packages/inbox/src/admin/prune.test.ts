import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import {
  createTarget,
  describeOnEach,
  isOnCitus,
  embedded,
  useDatabase,
} from '../../../../test/support/databases.ts'
import { emptyInbox } from '../../../../test/support/empty-inbox.ts'
import { lockTable } from '../../../../test/support/lock-table.ts'
import { createInbox, type Inbox } from '../index.ts'

describeOnEach('pruning on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('deletes bytes and headers only of entries that ended long ago', embedded, async () => {
    const done = await store('done', 91)
    const skipped = await store('skipped', 91)
    const recent = await store('done', 89)
    const dead = await store('dead', 91)
    const received = await store('received', null)
    await noteEffects('true')
    expect(await inbox.prune()).toEqual({ emptied: 2, deleted: 0 })
    const { rows: notes } = await database().query('select from feed_inbox.effect')
    expect(notes).toHaveLength(3)
    for (const { event, sha256 } of [done, skipped]) {
      const emptied = { event: null, bodyBase64: null, headers: {}, sha256 }
      expect(await inbox.entries.get(event.id)).toMatchObject(emptied)
    }
    for (const { event, headers } of [recent, dead, received]) {
      expect(await inbox.entries.get(event.id)).toMatchObject({ event, headers })
    }
    expect(await inbox.prune()).toMatchObject({ emptied: 0 })
    expect(await inbox.prune({ bytesAfterDays: 88.5 })).toMatchObject({ emptied: 1 })
  })

  it(
    'keeps detecting duplicates without storing bytes again, and forgeries as conflicts',
    embedded,
    async () => {
      const delivery = await store('done', 91)
      expect(await inbox.prune()).toMatchObject({ emptied: 1 })
      expect(await inbox.accept(delivery)).toBe('duplicate')
      expect(await inbox.accept(deliveryOf({ ...delivery.event, type: 'x' }))).toEqual({
        quarantined: 'id_conflict',
      })
      expect(await inbox.entries.get(delivery.event.id)).toMatchObject({
        bodyBase64: null,
        headers: {},
        pushCount: 2,
      })
    },
  )

  it('continues batch by batch until nothing is left', async () => {
    await storeBulk('bulk', 2_500)
    const pruned = await Promise.all([inbox.prune(), inbox.prune()])
    pruned.push(await inbox.prune())
    expect(pruned.reduce((sum, { emptied }) => sum + emptied, 0)).toBe(2_500)
  })

  it('uses smaller slices if one takes too long', embedded, async ({ skip }) => {
    skip(isOnCitus(kind), 'Citus supports no triggers.')
    await storeBulk('slow', 300)
    // The error that the server sends for a canceled statement.
    await database().query(
      `create function too_slow() returns trigger language plpgsql as $$
       begin
         if (select count(*) from gone) > 100 then
           raise exception 'canceling statement due to statement timeout' using errcode = '57014';
         end if;
         return null;
       end $$`,
    )
    await database().query(
      `create trigger too_slow after delete on feed_inbox.entry_body
       referencing old table as gone for each statement execute function too_slow()`,
    )
    expect(await inbox.prune()).toMatchObject({ emptied: 300 })
    await database().query('drop function too_slow cascade')
  })

  describe('of rows', () => {
    const rowsAfterDays = 400

    beforeEach(() => emptyInbox(database()))

    it('deletes nothing by default, and rejects less than a week', async () => {
      await store('done', 900)
      expect(await inbox.prune()).toMatchObject({ deleted: 0 })
      const tooSoon = inbox.prune({ rowsAfterDays: 6 })
      await expect(tooSoon).rejects.toThrow('rowsAfterDays: use 7 or more')
    })

    it(
      'deletes entries that ended long ago with related rows, but not those that need an operator',
      embedded,
      async () => {
        const first = await store('done', 900)
        const old = [first, await store('skipped', 401)]
        const kept = [
          await store('dead', 900),
          await store('done', 399),
          await store('received', null),
        ]
        await accompany(first)
        const pulled = await store('done', 900)
        await inbox.acceptPage([pulled.event], { stream: 'events' })
        // A late duplicate shows that the service still sends it.
        const repeated = await store('done', 900)
        await inbox.accept(repeated)
        await storeBulk('newer', 1_000, 1)
        expect(await inbox.prune({ rowsAfterDays })).toMatchObject({ deleted: 2 })
        for (const { event } of old) expect(await inbox.entries.get(event.id)).toBeNull()
        for (const { event } of [...kept, pulled, repeated]) {
          expect(await inbox.entries.get(event.id)).not.toBeNull()
        }
        expect(await countOrphans()).toEqual({
          effect: 0,
          entry_revision: 0,
          operation_entry: 0,
          entry_body: 0,
        })
        expect(await inbox.accept(first)).toBe('stored')
      },
    )

    it('keeps the newest thousand, whatever their age', async () => {
      await storeBulk('quiet', 1_200, 2_000)
      // A dry run counts the same, and changes nothing.
      const counts = { emptied: 1_000, deleted: 200 }
      expect(await inbox.prune({ rowsAfterDays, dryRun: true })).toEqual(counts)
      expect(await inbox.prune({ dryRun: true })).toEqual({ emptied: 1_200, deleted: 0 })
      expect(await inbox.prune({ rowsAfterDays })).toEqual({ emptied: 1_000, deleted: 200 })
      expect(await inbox.prune({ rowsAfterDays })).toEqual({ emptied: 0, deleted: 0 })
    })

    it('deletes quarantine rows resolved that long ago, and operations', embedded, async () => {
      await database().query(
        `insert into feed_inbox.quarantine (source, reason, state, body, sha256, signed_by, signed_at,
           first_seen_at, last_seen_at, resolved_at)
         select 'feed', 'not_json', state, '', state || days, 'x', now(), at, at, at
         from (values ('open', 900), ('discarded', 900), ('discarded', 399)) row (state, days),
           lateral (select now() - days * interval '1 day' as at) times`,
      )
      await inbox.pause({ reason: 'to have an operation' })
      await inbox.resume()
      const old = `update feed_inbox.operation set done_at = now() - interval '401 days' where kind = 'pause'`
      await database().query(old)
      await inbox.prune({ rowsAfterDays })
      const { quarantined } = await inbox.quarantined.list()
      expect(quarantined.map(({ state }) => state).toSorted()).toEqual(['discarded', 'open'])
      expect((await inbox.operations()).operations).toMatchObject([{ kind: 'resume' }])
    })
  })

  it('starts no batch after it is aborted', async () => {
    await store('done', 91)
    expect(await inbox.prune({ signal: AbortSignal.abort() })).toEqual({ emptied: 0, deleted: 0 })
    const { signal } = new AbortController()
    expect(await inbox.prune({ signal })).toMatchObject({ emptied: 1 })
  })

  it('rejects an invalid number of days', async () => {
    for (const bytesAfterDays of [-1, Number.NaN, 1e9]) {
      await expect(inbox.prune({ bytesAfterDays })).rejects.toThrow('bytesAfterDays: use')
    }
  })

  async function storeBulk(name: string, count: number, daysAgo = 100): Promise<void> {
    await database().query(
      `with bulk as (
         insert into feed_inbox.entry (source, event_id, state, sha256, type, provider, category,
           title, confirmation, created_at, received_at, handled_at)
         select 'feed', $1 || n, 'done', 'y', 't', 'p', 'c', 't', 'c', now(), at, at
         from generate_series(1, $2::integer) n,
           lateral (select now() - $3::integer * interval '1 day' + n * interval '1 second' as at) times
         returning id
       )
       insert into feed_inbox.entry_body (entry_id, body) select id, 'x' from bulk`,
      [name, count, daysAgo],
    )
  }

  /** The rows of other tables without an entry. */
  async function countOrphans(): Promise<unknown> {
    const tables = ['effect', 'entry_revision', 'operation_entry', 'entry_body']
    const counts = tables.map(
      (table) => `(
        select count(*) from feed_inbox.${table} where entry_id not in (select id from feed_inbox.entry)
      ) as ${table}`,
    )
    return (await database().query(`select ${counts.join(', ')}`)).rows[0]
  }

  // Uses a time of the entry, because Citus miscompiles now() in an insert with a select.
  async function noteEffects(condition: string, values: string[] = []): Promise<void> {
    await database().query(
      `insert into feed_inbox.effect (entry_id, key, outcome, happened_at)
       select id, 'page', '{}', received_at from feed_inbox.entry where ${condition}`,
      values,
    )
  }

  /** Gives an entry a row in every table that refers to entries. */
  async function accompany({ event }: { event: { id: string } }): Promise<void> {
    await noteEffects('event_id = $1', [event.id])
    await database().query(
      `insert into feed_inbox.entry_revision (entry_id, revision, via, change, replaced_at)
       select id, 1, 'push', 'new', received_at from feed_inbox.entry where event_id = $1`,
      [event.id],
    )
    await inbox.entries.reprocess({ ids: [event.id] })
    await database().query(
      `update feed_inbox.entry set state = 'done', handled_at = received_at where event_id = $1`,
      [event.id],
    )
  }

  /** Stores an entry that arrived 30 days before its end, as one that was retried. */
  async function store(state: string, endedDaysAgo: number | null) {
    const delivery = deliveryOf(makeEvent())
    await inbox.accept(delivery)
    const endedAt = endedDaysAgo === null ? null : new Date(Date.now() - endedDaysAgo * 86_400_000)
    const arrivedAt = endedAt && new Date(endedAt.getTime() - 30 * 86_400_000)
    await database().query(
      `update feed_inbox.entry
       set state = $2, handled_at = $3::timestamptz,
         received_at = coalesce($4, received_at), last_push_at = coalesce($4, last_push_at)
       where event_id = $1`,
      [delivery.event.id, state, endedAt, arrivedAt],
    )
    return delivery
  }
})

it('uses smaller slices in a dry run on PostgreSQL, too', async () => {
  const { target, drop } = await createTarget('postgres', 'inbox')
  onTestFinished(drop)
  await using database = openDatabase(target)
  await using hurried = openDatabase(target, { queryTimeoutMs: 1_000 })
  await using inbox = createInbox({ database: hurried })
  await inbox.start()
  await inbox.accept(deliveryOf(makeEvent()))
  await inbox.drain({ '*': () => {} })
  await database.query(`update feed_inbox.entry set handled_at = now() - interval '91 days'`)
  const lock = await lockTable(database, 'feed_inbox.entry_body')
  // Longer than one statement may take.
  const [pruned] = await Promise.all([
    inbox.prune({ dryRun: true }),
    delay(1_500).then(lock.unlock),
  ])
  expect(pruned).toEqual({ emptied: 1, deleted: 0 })
})
