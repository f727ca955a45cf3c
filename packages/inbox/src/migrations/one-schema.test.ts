import { openDatabase, type Database } from '@feed-receiver/database'
import { PgBoss } from 'pg-boss'
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { storeInOneStatement } from '../accept/store-entries.ts'
import { earlier, leaveJobs, openBefore, states } from '../../test/inbox-before.ts'
import { createInbox, splitInbox } from '../index.ts'
import { migrations } from './index.ts'

describeOnEach('moving the queue into the schema of the inbox on %s', (kind) => {
  const database = useDatabase(kind)

  it.each(['feed_inbox', 'queue', 'job'])(
    'keeps all jobs of several sources in both directions, in the schema %s',
    embedded,
    async (schema) => {
      for (const [source, isOrdered] of [
        ['feed', false],
        ['other', false],
        ['feed', true],
      ] as const) {
        const place = await openBefore(database(), schema, source, isOrdered)
        await leaveJobs(database(), place)
      }
      const before = await jobsIn(database(), `${schema}_queue`)
      expect(new Set(before.map(({ state }) => state))).toEqual(new Set(states))
      expect(before.length).toBeGreaterThan(20)
      const objects = await objectsIn(database(), `${schema}_queue`)

      await database().migrate(migrations, { schema })
      expect(await jobsIn(database(), schema)).toEqual(before)
      expect(await objectsIn(database(), `${schema}_queue`)).toEqual([])
      expect(await schemasLike(database(), `${schema}_queue`)).toEqual([])

      await splitInbox({ database: database(), schema })
      expect(await jobsIn(database(), `${schema}_queue`)).toEqual(before)
      expect(await objectsIn(database(), `${schema}_queue`)).toEqual(objects)
      expect(await database().missingMigrations(earlier, { schema })).toEqual([])
      const again = await openBefore(database(), schema, 'feed')
      await leaveJobs(database(), again)

      await database().migrate(migrations, { schema })
      expect(await jobsIn(database(), schema)).toHaveLength(before.length + states.length + 2)
    },
  )

  it('leaves a schema that pg-boss accepts', async () => {
    const schema = 'moved_inbox'
    await openBefore(database(), schema, 'feed')
    await database().migrate(migrations, { schema })
    const boss = new PgBoss({ ...database().bossOptions(), schema, migrate: false })
    onTestFinished(() => boss.stop({ graceful: false }))
    await boss.start()
    expect(await boss.detectSchemaDrift()).toMatchObject({ ok: true })
    await boss.createQueue('apart', { partition: true })
    expect(await boss.send('apart', {})).not.toBeNull()
    await boss.deleteQueue('apart')
    const { rows } = await database().query(
      `select p.proname from pg_proc p where p.pronamespace = 'moved_inbox'::regnamespace
       and position('moved_inbox_queue' in p.prosrc) > 0`,
    )
    expect(rows).toEqual([])
  })

  it('handles pending jobs, runs active jobs again, and leaves others alone', async () => {
    const schema = 'used_inbox'
    const before = await openBefore(database(), schema, 'feed')
    const ids = await leaveJobs(database(), before)
    await database().query(`update ${schema}_queue.job set start_after = now() - interval '1 hour',
      heartbeat_on = case when state = 'active' then now() - interval '1 hour' end`)
    await before.queue.stop()

    const inbox = createInbox({ database: database(), schema, onError: () => {} })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    const handled: string[] = []
    await inbox.work({ '*': async ({ id }) => void handled.push(id) })
    const { created = '', retry = '', active = '' } = ids
    await expect.poll(() => handled, { timeout: 30_000 }).toHaveLength(3)
    expect(new Set(handled)).toEqual(new Set([created, retry, active]))
    expect(await inbox.accept(deliveryOf(makeEvent({ id: created })))).not.toBe('stored')
  }, 60_000)

  it('rejects an inbox that is not moved yet if it may not migrate', async () => {
    await openBefore(database(), 'kept_inbox', 'feed')
    const inbox = createInbox({ database: database(), schema: 'kept_inbox', migrate: false })
    await expect(inbox.start()).rejects.toMatchObject({
      code: 'not_migrated',
      message: expect.stringMatching(/0013-one-schema.sql.*As the owner, run the SQL/),
    })
  })

  it('changes nothing if it cannot continue', async () => {
    const schema = 'taken_inbox'
    await leaveJobs(database(), await openBefore(database(), schema, 'feed'))
    const before = await jobsIn(database(), `${schema}_queue`)
    await database().query(`create table ${schema}.warning (mine integer)`)
    const migrating = database().migrate(migrations, { schema })
    await expect(migrating).rejects.toMatchObject({ code: 'migration_failed' })
    expect(await jobsIn(database(), `${schema}_queue`)).toEqual(before)
    await database().query(`drop table ${schema}.warning`)
    await database().query(`create table ${schema}_queue.mine as select 1 as id`)
    await database().query(`create view ${schema}_queue.sight as select 1 as id`)
    await database().migrate(migrations, { schema })
    expect(await schemasLike(database(), `${schema}_queue`)).toHaveLength(1)
  })

  it('does not split an inbox of another version', async () => {
    await openBefore(database(), 'older_inbox', 'feed')
    for (const [schema, newest] of [
      ['older_inbox', '0012-bodies.sql'],
      ['nowhere', 'none'],
    ] as const) {
      await expect(splitInbox({ database: database(), schema })).rejects.toMatchObject({
        code: 'not_split',
        message: expect.stringContaining(newest),
      })
    }
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

  it('waits for a process of the previous version, whose later statements fail', async () => {
    const schema = 'busy_inbox'
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(drop)
    await using ours = openDatabase(url)
    await using theirs = openDatabase(url)
    const before = await openBefore(theirs, schema, 'feed')
    const store = storeInOneStatement(before)
    const moving = await theirs.tx(async (tx) => {
      await store(tx, [deliveryOf(makeEvent())])
      const migrating = ours.migrate(migrations, { schema })
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await ours.query(waiting)).rowCount).toBe(1)
      return { migrating }
    })
    expect((await moving.migrating)[0]).toBe('0013-one-schema.sql')
    expect(await jobsIn(ours, schema)).toHaveLength(1)
    await expect(store(theirs, [deliveryOf(makeEvent())])).rejects.toMatchObject({ code: '42P01' })
    await expect(before.queue.claim(1)).rejects.toMatchObject({ code: '42P01' })
    expect((await ours.query(`select from ${schema}.entry`)).rowCount).toBe(1)
  })

  it('has no duplicate names', async () => {
    const theirs = await objectsIn(fresh(), 'alone')
    const ours = await objectsIn(fresh(), 'ours')
    expect(theirs.filter((name) => ours.includes(name))).toEqual([])
    const both = await objectsIn(database(), 'feed_inbox')
    expect(both).toEqual(expect.arrayContaining([...theirs, ...ours]))
    // The three job indexes of the kit, on the table and on its partition.
    expect(both).toHaveLength(theirs.length + ours.length + 6)
  })
})

async function jobsIn(database: Database, schema: string) {
  const { rows } = await database.query<{ state: string }>(
    `select * from ${schema}.job order by id`,
  )
  return rows
}

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

async function schemasLike(database: Database, name: string) {
  return (await database.query('select nspname from pg_namespace where nspname = $1', [name])).rows
}
