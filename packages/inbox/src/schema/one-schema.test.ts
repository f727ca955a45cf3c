import type { Database } from '@feed-receiver/database'
import { PgBoss } from 'pg-boss'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { findLocaleKeys } from '../../../../test/support/locale-keys.ts'
import { createInbox } from '../index.ts'
import { migrations } from './index.ts'

describeOnEach('the schema of an inbox on %s', (kind) => {
  const database = useDatabase(kind)

  it.each(['feed_inbox', 'queue', 'job'])('may be called %s', embedded, async (schema) => {
    const inbox = createInbox({ database: database(), schema })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const event = makeEvent()
    expect(await inbox.accept(deliveryOf(event))).toBe('stored')
    const handled: string[] = []
    await inbox.drain({ '*': ({ id }) => void handled.push(id) })
    expect(handled).toEqual([event.id])
  })

  it('is one that pg-boss accepts', async () => {
    const schema = 'shared_inbox'
    await using inbox = createInbox({ database: database(), schema })
    await inbox.start()
    const boss = new PgBoss({ ...database().bossOptions(), schema, migrate: false })
    onTestFinished(() => boss.stop({ graceful: false }))
    await boss.start()
    expect(await boss.detectSchemaDrift()).toMatchObject({ ok: true })
    await boss.createQueue('apart', { partition: true })
    expect(await boss.send('apart', {})).not.toBeNull()
    await boss.deleteQueue('apart')
  })

  it('does not change if the migration fails', async () => {
    const schema = 'taken_inbox'
    await database().query(`create schema ${schema}`)
    await database().query(`create table ${schema}.extension (mine integer)`)
    const migrating = database().migrate(migrations, { schema })
    await expect(migrating).rejects.toMatchObject({ code: 'migration_failed' })
    const own = ['migration', 'migration_lock', 'migration_lock_pkey', 'migration_pkey']
    expect(await objectsIn(database(), schema)).toEqual(['extension', ...own])
    await database().query(`drop table ${schema}.extension`)
    expect(await database().migrate(migrations, { schema })).toEqual(Object.keys(migrations))
  })

  it('compares all keys by bytes, and so in every locale alike', embedded, async () => {
    const schema = 'keyed_inbox'
    await database().migrate(migrations, { schema })
    expect(await findLocaleKeys(database(), schema)).toEqual([])
  })
})

describe('one schema for an inbox and its queue', () => {
  const database = useDatabase('postgres', 'inbox')
  const fresh = useDatabase('postgres')

  beforeAll(async () => {
    const boss = new PgBoss({ ...fresh().bossOptions(), schema: 'alone', schedule: false })
    await boss.start()
    await boss.stop({ graceful: false })
    await fresh().migrate(migrations, { schema: 'ours' })
  })

  it('has no duplicate names', async () => {
    const theirs = await objectsIn(fresh(), 'alone')
    const ours = await objectsIn(fresh(), 'ours')
    expect(theirs.filter((name) => ours.includes(name))).toEqual([])
    const both = await objectsIn(database(), 'feed_inbox')
    expect(both).toEqual(expect.arrayContaining([...theirs, ...ours]))
    // The two job indexes of the kit, on the table and on its partition.
    expect(both).toHaveLength(theirs.length + ours.length + 4)
  })
})

/** Tables, indexes, types and functions of a schema. */
async function objectsIn(database: Database, schema: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select name from (
       select relname::text as name, relnamespace as place from pg_class where relname !~ '^queue_stats_2'
       union all select typname::text, typnamespace from pg_type where typtype = 'e'
       union all select proname::text, pronamespace from pg_proc
     ) object
     where place = (select oid from pg_namespace where nspname = $1) order by name`,
    [schema],
  )
  return rows.map(({ name }) => name)
}
