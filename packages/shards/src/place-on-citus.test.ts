import { execFileSync } from 'node:child_process'
import type { Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { citusUrl, createOnCitus } from '../../../test/support/citus.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { citusDatabase, placeOnCitus } from './index.ts'

describe.skipIf(citusUrl !== undefined)('an inbox to be placed', () => {
  const database = useDatabase('postgres', 'inbox')

  it('stays where it is, and says what to do, without Citus or citusDatabase', async () => {
    await using plain = createInbox({ database: database() })
    await plain.start()
    await expect(placeOnCitus(plain)).rejects.toMatchObject({
      code: 'no_citus',
      message: expect.stringContaining('Pass citusDatabase(url) to createInbox'),
    })
    await using other = createInbox({ database: citusDatabase(database()) })
    await other.start()
    await expect(placeOnCitus(other)).rejects.toMatchObject({
      code: 'no_citus',
      message: expect.stringContaining('create extension citus'),
    })
  })
})

// With TEST_CITUS_URL, all other tests of an inbox on PostgreSQL also run on Citus.
describe.skipIf(citusUrl === undefined)('on Citus (needs TEST_CITUS_URL), an inbox', () => {
  let made: TestDatabase
  let database: Database

  beforeAll(async () => {
    made = await createOnCitus(citusUrl ?? '')
    database = citusDatabase(made.url)
  })
  afterAll(async () => {
    await database?.close()
    await made?.drop()
  })

  it('moves once to one worker with its events and jobs while in use', async () => {
    const errors: unknown[] = []
    const open = () => {
      const inbox = createInbox({ database, onError: (error) => errors.push(error) })
      onTestFinished(() => inbox.stop())
      return inbox
    }
    const [first, second] = [open(), open()]
    await first.start()
    const early = Array.from({ length: 20 }, () => makeEvent())
    for (const event of early) await first.accept(deliveryOf(event))
    // A run interrupted by the move is retried.
    const handled = new Set<string>()
    await first.work({ '*': async ({ id }) => void handled.add(id) })

    const late = Array.from({ length: 50 }, () => makeEvent())
    const accepting = late.map((event) => first.accept(deliveryOf(event)))
    await second.start()
    await placeOnCitus(second)
    expect(await Promise.all(accepting)).toEqual(late.map(() => 'stored'))
    expect(await first.accept(deliveryOf(early[0] ?? {}))).toBe('duplicate')
    const ids = [...early, ...late].map(({ id }) => id)
    await expect.poll(() => [...handled].toSorted()).toEqual(ids.toSorted())
    await expect.poll(() => first.entries.count({ state: 'done' })).toMatchObject({ count: 70 })

    await second.stop()
    await second.start()
    await placeOnCitus(second)
    expect(await placeOf(database)).toEqual([{ nodes: 1, left: 0 }])
    expect(errors).toEqual([])
  })

  it('leaves as a copy, by the commands of the guide', async () => {
    const there = createInbox({ database })
    onTestFinished(() => there.stop())
    await there.start()
    await placeOnCitus(there)
    const event = makeEvent()
    await there.accept(deliveryOf(event))
    const { entries } = await there.entries.list()
    await there.stop()

    const plain = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(plain.drop)
    const schema = 'feed_inbox'
    const dump = execFileSync('pg_dump', ['--no-owner', `--schema=${schema}`, made.url])
    execFileSync('psql', ['-1', '-q', '-v', 'ON_ERROR_STOP=1', plain.url], { input: dump })
    const undo = [
      `alter function ${schema}.job_now() stable`,
      `update ${schema}.version set bam_on = null, monitor_backoff_on = null`,
    ]
    execFileSync('psql', ['-q', ...undo.flatMap((text) => ['-c', text]), plain.url])

    await using here = createInbox({ database: plain.url })
    await here.start()
    expect((await here.entries.list()).entries).toEqual(entries)
    expect(await here.accept(deliveryOf(event))).toBe('duplicate')
    const handled: string[] = []
    await here.drain({ '*': ({ id }) => void handled.push(id) })
    expect(handled).toEqual([event.id])
    expect(await here.accept(deliveryOf(makeEvent()))).toBe('stored')
    expect(await here.drain({ '*': () => {} })).toMatchObject({ handled: 1 })
  })
})

/** The number of nodes with its tables, and the number of its tables on the coordinator. */
async function placeOf(database: Database) {
  const { rows } = await database.query(
    `select count(distinct (nodename, nodeport))::int as nodes,
       count(*) filter (where shardid is null)::int as left
     from pg_class left join citus_shards on table_name = pg_class.oid
     where relnamespace = 'feed_inbox'::regnamespace and relkind in ('r', 'p')`,
  )
  return rows
}
