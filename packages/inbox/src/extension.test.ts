import { expect, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../test/support/databases.ts'
import { extendInbox, withContext } from './extend.ts'
import type { InboxContext, InboxExtension } from './extend.ts'
import { createInbox, type Inbox } from './index.ts'
import { untilIdle } from './testing.ts'

const migrations = { '0001-notes.sql': 'create table extension_note (entry_id bigint)' }
let schemas = 0

describeOnEach('an extension on %s', (kind) => {
  const database = useDatabase(kind)
  const inSchema = (options: { migrate?: boolean; schema?: string; source?: string } = {}) =>
    createInbox({ database: database(), schema: `extended_${(schemas += 1)}`, ...options })
  const tablesOf = async (schema: string) => {
    const text = `select to_regclass('${schema}.extension_note')::text as notes,
      to_regclass('${schema}.migration_notes')::text as applied`
    return (await database().query(text)).rows
  }

  it('gets its tables when the inbox starts, or at the first use after that', async () => {
    await using inbox = inSchema()
    extendInbox(inbox, { name: 'notes', migrations })
    const schemaOf = (one: Inbox) => withContext(one, async ({ queue }) => queue.schema)
    await expect(schemaOf(inbox)).rejects.toMatchObject({ code: 'not_running' })
    await inbox.start()
    const schema = await schemaOf(inbox)
    expect(await tablesOf(schema)).toEqual([
      { notes: `${schema}.extension_note`, applied: `${schema}.migration_notes` },
    ])

    await using late = inSchema()
    await late.start()
    extendInbox(late, { name: 'notes', migrations })
    const other = await schemaOf(late)
    expect(await tablesOf(other)).toEqual([
      { notes: `${other}.extension_note`, applied: `${other}.migration_notes` },
    ])
  })

  it('is not migrated by an inbox that may not migrate', async () => {
    const schema = `extended_${(schemas += 1)}`
    await using owner = inSchema({ schema })
    await owner.start()
    await using inbox = inSchema({ schema, migrate: false })
    extendInbox(inbox, { name: 'notes', migrations })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'not_migrated',
      message: expect.stringContaining('0001-notes.sql'),
    })
    extendInbox(owner, { name: 'notes', migrations })
    await owner.stop()
    await owner.start()
    await inbox.start()
    expect(await withContext(inbox, async ({ source }) => source)).toBe('feed')
  })

  it('may replace an earlier one, but needs a name', () => {
    const inbox = inSchema()
    extendInbox(inbox, { name: 'notes', migrations })
    extendInbox(inbox, { name: 'notes' })
    for (const name of ['Two words', 'lock', '']) {
      const named = () => extendInbox(inbox, { name })
      expect(named).toThrow(expect.objectContaining({ code: 'bad_option' }))
    }
    const lacking = () => extendInbox({} as never, { name: 'notes' })
    expect(lacking).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })

  it('maintains its tables while the inbox works and drains, and reports its errors', async () => {
    const errors: unknown[] = []
    const calls: string[] = []
    const schema = `extended_${(schemas += 1)}`
    const options = {
      database: database(),
      schema,
      onError: (error: unknown) => errors.push(error),
    }
    await using inbox = createInbox(options)
    const fail = () => {
      throw new Error('no space')
    }
    extendInbox(inbox, { name: 'broken', maintain: fail })
    extendInbox(inbox, {
      name: 'counting',
      async maintain({ source }, { signal, isPruning }) {
        calls.push(`${source}, ${signal.aborted ? 'late' : 'in time'}, ${isPruning}`)
      },
    })
    await inbox.start()
    await inbox.drain({})
    expect(calls).toEqual(['feed, in time, false'])
    await inbox.work({})
    await expect.poll(() => calls).toHaveLength(2)
    expect(errors).toMatchObject([{ message: 'no space' }, { message: 'no space' }])
    await expect(inbox.prune({ rowsAfterDays: 7 })).rejects.toThrow('no space')
    expect(calls[2]).toBe('feed, in time, true')
  })

  it('does not hold up a stop if it ignores its signal', async () => {
    const inbox = inSchema()
    let begun = () => {}
    const isBegun = new Promise<void>((resolve) => (begun = resolve))
    const hang = () => {
      begun()
      return new Promise(() => {})
    }
    extendInbox(inbox, { name: 'hanging', maintain: hang })
    await inbox.start()
    await inbox.work({})
    await isBegun
    await inbox.stop()
    await expect(inbox.entries.count()).rejects.toMatchObject({ code: 'not_running' })
  })

  it('runs outside of the transaction of a handler', async () => {
    await using inbox = inSchema()
    await inbox.start()
    const seen: unknown[] = []
    await inbox.accept(deliveryOf(makeEvent()))
    await inbox.drain({
      async '*'() {
        const read = ({ database: own }: InboxContext) => own.query('select 1 as one')
        seen.push((await withContext(inbox, read)).rows)
      },
    })
    expect(seen).toEqual([[{ one: 1 }]])
  })

  it('sees entries before retention deletes them, and can keep them', embedded, async () => {
    const asked: number[] = []
    const seen: number[] = []
    const kept = new Set<number>()
    const seeing: InboxExtension = {
      name: 'seeing',
      async mayDelete(_context, tx, ids) {
        const { rows } = await tx.query<{ id: number }>(
          `select id from ${tables.entry} where id = any($1)`,
          [ids],
        )
        asked.push(...rows.map(({ id }) => id))
        // An id that nobody asked about is ignored.
        return [...ids.filter((id) => !kept.has(id)), -1]
      },
      async beforeDelete(_context, _tx, ids) {
        seen.push(...ids)
      },
    }
    await using inbox = inSchema()
    extendInbox(inbox, seeing)
    await inbox.start()
    const { tables, queue } = await withContext(inbox, async (context) => context)
    const events = [makeEvent(), makeEvent()]
    for (const event of events) await inbox.accept(deliveryOf(event))
    await inbox.drain({})
    await untilIdle(inbox)
    const { rows } = await database().query<{ id: number }>(
      `update ${tables.entry} set received_at = now() - interval '90 days',
         handled_at = now() - interval '90 days', last_push_at = now() - interval '90 days'
       returning id`,
    )
    // The newest thousand entries are never deleted.
    await database().query(
      `insert into ${tables.entry} (source, event_id, type, provider, category, title, confirmation,
         created_at, received_at)
       select 'feed', 'filler-' || n, 'x', 'x', 'x', 'x', 'official', now(), now()
       from generate_series(1, 1000) n`,
    )
    const [first, second] = rows.map(({ id }) => id).toSorted((one, other) => one - other)
    kept.add(first ?? 0)
    expect(await inbox.prune({ rowsAfterDays: 7 })).toMatchObject({ deleted: 1 })
    expect(asked.toSorted((one, other) => one - other)).toEqual([first, second])
    expect(seen).toEqual([second])
    const left = `select id from ${tables.entry} where id = any($1::bigint[])`
    expect((await database().query(left, [[first, second]])).rows).toEqual([{ id: first }])

    await using without = inSchema({ schema: queue.schema })
    await without.start()
    kept.clear()
    await expect(without.prune({ rowsAfterDays: 7 })).rejects.toMatchObject({
      code: 'extension_missing',
      message: expect.stringContaining('the extension seeing of feed'),
    })
    expect(await without.prune()).toMatchObject({ deleted: 0 })
    await using another = inSchema({ schema: queue.schema, source: 'other' })
    await another.start()
    expect(await another.prune({ rowsAfterDays: 7 })).toMatchObject({ deleted: 0 })
    expect(await inbox.prune({ rowsAfterDays: 7 })).toMatchObject({ deleted: 1 })
  })
})
