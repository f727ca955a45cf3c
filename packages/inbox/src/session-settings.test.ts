import { Pool, types } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import {
  createTestDatabase,
  runSql,
  setForDatabase,
  type TestDatabase,
} from '../../../test/support/postgres.ts'
import { createInbox } from './index.ts'

/** Settings that change how the statements of an inbox run, or that it must not depend on. */
const settings = {
  synchronous_commit: 'off',
  default_transaction_isolation: 'serializable',
  DateStyle: 'German',
  IntervalStyle: 'sql_standard',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  extra_float_digits: '-15',
  statement_timeout: '900',
  lock_timeout: '900',
  search_path: 'nowhere',
  TimeZone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  transform_null_equals: 'on',
  default_transaction_deferrable: 'on',
  client_min_messages: 'debug1',
}

describe.each(['a URL', 'the pool of an app'])('an inbox on %s with other settings', (kind) => {
  let made: TestDatabase
  let pool: Pool | undefined
  const parsers = [20, 25, 1184, 3802].map((oid) => ({ oid, parse: types.getTypeParser(oid) }))

  beforeAll(async () => {
    made = await createTestDatabase({ url: inject('postgresUrl') })
    await runSql(made.url, 'create table handled (event_id text, attempt integer)')
    for (const [name, value] of Object.entries(settings)) {
      await setForDatabase(made.url, name, `'${value}'`)
    }
    if (kind !== 'a URL') pool = new Pool({ connectionString: made.url })
    for (const { oid } of parsers) types.setTypeParser(oid, (text) => `changed ${text}`)
  })
  afterAll(async () => {
    for (const { oid, parse } of parsers) types.setTypeParser(oid, parse)
    await pool?.end()
    await made.drop()
  })

  it('installs, stores each event once, and handles each at the first attempt', async () => {
    await using inbox = createInbox({ database: pool ?? made.url })
    await inbox.start()
    await inbox.work({
      '*': async (event, { tx, attempt }) => {
        await tx.query('insert into public.handled values ($1, $2)', [event.id, attempt])
      },
    })
    const deliveries = Array.from({ length: 24 }, () => deliveryOf(makeEvent()))
    const outcomes = await Promise.all(
      [...deliveries, ...deliveries, ...deliveries].map((delivery) => inbox.accept(delivery)),
    )
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(24)
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(48)
    const pulled = deliveryOf(makeEvent()).event
    await inbox.acceptPage([pulled, ...deliveries.map(({ event }) => event)], {
      stream: 'events',
      cursor: 'one',
    })
    await expect.poll(() => inbox.entries.count({ state: 'done' })).toMatchObject({ count: 25 })
    const observer = new Pool({ connectionString: made.url, max: 1 })
    const { rows } = await observer.query(
      `select event_id || ' ' || attempt::text as run from public.handled`,
    )
    await observer.end()
    const ids = [pulled, ...deliveries.map(({ event }) => event)].map(({ id }) => id)
    const runs = rows.map(({ run }) => String(run).replace('changed ', ''))
    expect(runs.toSorted()).toEqual(ids.map((id) => `${id} 1`).toSorted())
    const newest = await inbox.entries.list({ limit: 1 })
    expect(newest.entries[0]?.receivedAt).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(await inbox.health()).toMatchObject({ ok: true, problems: [], queue: 'up' })
    expect((await inbox.prune()).emptied).toBe(0)
  })
})
