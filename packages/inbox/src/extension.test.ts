import { expect, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../test/support/databases.ts'
import { extendInbox, type InboxExtension } from './extend.ts'
import { createInbox } from './index.ts'
import { settled } from './testing.ts'

const migrations = { '0001-notes.sql': 'create table extension_note (entry_id bigint)' }
let schemas = 0

describeOnEach('an extension on %s', (kind) => {
  const database = useDatabase(kind)
  const inSchema = (options: { migrate?: boolean; schema?: string } = {}) =>
    createInbox({ database: database(), schema: `extended_${(schemas += 1)}`, ...options })
  const tablesOf = async (schema: string) => {
    const text = `select to_regclass('${schema}.extension_note')::text as notes,
      to_regclass('${schema}.migration_notes')::text as applied`
    return (await database().query(text)).rows
  }

  it('gets its tables when the inbox starts, or at the first use after that', async () => {
    await using inbox = inSchema()
    const { context } = extendInbox(inbox, { name: 'notes', migrations })
    await expect(context()).rejects.toMatchObject({ code: 'not_running' })
    await inbox.start()
    const { schema } = (await context()).queue
    expect(await tablesOf(schema)).toEqual([
      { notes: `${schema}.extension_note`, applied: `${schema}.migration_notes` },
    ])

    await using late = inSchema()
    await late.start()
    const extended = extendInbox(late, { name: 'notes', migrations })
    const { queue } = await extended.context()
    expect(await tablesOf(queue.schema)).toEqual([
      { notes: `${queue.schema}.extension_note`, applied: `${queue.schema}.migration_notes` },
    ])
  })

  it('is not migrated by an inbox that may not migrate', async () => {
    const schema = `extended_${(schemas += 1)}`
    await using owner = inSchema({ schema })
    await owner.start()
    await using inbox = inSchema({ schema, migrate: false })
    const { context } = extendInbox(inbox, { name: 'notes', migrations })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'not_migrated',
      message: expect.stringContaining('0001-notes.sql'),
    })
    extendInbox(owner, { name: 'notes', migrations })
    await owner.stop()
    await owner.start()
    await inbox.start()
    expect((await context()).source).toBe('feed')
  })

  it('may replace an earlier one, but needs a name', () => {
    const inbox = inSchema()
    extendInbox(inbox, { name: 'notes', migrations })
    extendInbox(inbox, { name: 'notes' })
    const nameless = () => extendInbox(inbox, { name: 'Two words' })
    expect(nameless).toThrow(expect.objectContaining({ code: 'bad_option' }))
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
    extendInbox(inbox, { name: 'broken', maintain: () => Promise.reject(new Error('no space')) })
    extendInbox(inbox, {
      name: 'counting',
      async maintain({ source }, signal) {
        calls.push(`${source}, ${signal.aborted ? 'late' : 'in time'}`)
      },
    })
    await inbox.start()
    await inbox.drain({})
    expect(calls).toEqual(['feed, in time'])
    await inbox.work({})
    await expect.poll(() => calls).toHaveLength(2)
    expect(errors).toMatchObject([{ message: 'no space' }, { message: 'no space' }])
  })

  it('sees entries before retention deletes them, and can keep them', embedded, async () => {
    const seen: number[] = []
    const kept = new Set<number>()
    const seeing: InboxExtension = {
      name: 'seeing',
      async beforeDelete(_context, tx, ids) {
        const { rows } = await tx.query<{ id: number }>(
          `select id from ${tables.entry} where id = any($1)`,
          [ids],
        )
        seen.push(...rows.map(({ id }) => id))
        return ids.filter((id) => !kept.has(id))
      },
    }
    await using inbox = inSchema()
    const extended = extendInbox(inbox, seeing)
    await inbox.start()
    const { tables, queue } = await extended.context()
    const events = [makeEvent(), makeEvent()]
    for (const event of events) await inbox.accept(deliveryOf(event))
    await inbox.drain({})
    await settled(inbox)
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
    expect(seen.toSorted((one, other) => one - other)).toEqual([first, second])
    const left = `select id from ${tables.entry} where id = any($1::bigint[])`
    expect((await database().query(left, [[first, second]])).rows).toEqual([{ id: first }])

    await using without = inSchema({ schema: queue.schema })
    await without.start()
    kept.clear()
    await expect(without.prune({ rowsAfterDays: 7 })).rejects.toMatchObject({
      code: 'extension_missing',
      message: expect.stringContaining('the extension seeing'),
    })
    expect(await without.prune()).toMatchObject({ deleted: 0 })
    expect(await inbox.prune({ rowsAfterDays: 7 })).toMatchObject({ deleted: 1 })
  })
})
