import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FeedEvent } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Handler } from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { rehearse, type RehearseOptions } from './index.ts'
import { findInbox, readStored } from './stored-events.ts'

/** Every row of every table but system tables, as text. */
async function dump(database: Database): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and oid >= 16384 and relnamespace <> 'pg_toast'::regnamespace
     order by 1`,
  )
  const rows: string[] = []
  for (const { name } of tables.rows) {
    const found = await database.query<{ row: string }>(
      `select '${name}: ' || row_to_json(t)::text as row from ${name} t order by 1`,
    )
    rows.push(...found.rows.map(({ row }) => row))
  }
  return rows
}

type Options = Partial<RehearseOptions>

describeOnEach('a rehearsal on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  beforeAll(async () => {
    await database().query('create table page (id serial primary key, event_id text, title text)')
    await database().query(
      'create table once (id text primary key deferrable initially deferred, at text)',
    )
    await database().query(`insert into page (event_id, title) values ('old', 'old')`)
    await database().query('create table unique_page (event_id text primary key)')
  })

  /** A new inbox with these events, and a function that rehearses handlers on it. */
  async function store(events: readonly object[], handled?: Record<string, Handler>) {
    const source = `source_${(sources += 1)}`
    const inbox = createInbox({ database: database(), source })
    await inbox.start()
    for (const event of events) await inbox.accept(deliveryOf(event))
    if (handled) {
      await inbox.work({ futureTypes: handled })
      await untilIdle(inbox)
    }
    await inbox.stop()
    return ({ '*': any, ...futureTypes }: Record<string, Handler>, options: Options = {}) => {
      const handlers = { ...(any && { '*': any }), futureTypes }
      return rehearse({ handlers, database: database(), source, ...options })
    }
  }

  it('changes no row, whatever the handlers do', embedded, async () => {
    const types = ['writes', 'throws', 'notes', 'swallows', 'deletes', 'other']
    const run = await store(
      types.flatMap((type) => [makeEvent({ type }), makeEvent({ type })]),
      { notes: (_, { effects }) => effects.once('mail', () => ({ mail: 7 })) },
    )
    const before = await dump(database())
    const report = await run({
      writes: async ({ id }, { tx }) => {
        await tx.query('insert into page (id, event_id) values (default, $1)', [id])
        await tx.query(`update page set title = 'new' where event_id = 'old'`)
      },
      throws: async ({ id }, { tx }) => {
        await tx.query('insert into page (id, event_id) values (99, $1)', [id])
        throw new Error('no such customer')
      },
      notes: async (_, { tx, effects }) => {
        expect(await effects.once('mail', () => ({ mail: 8 }))).toEqual({ mail: 7 })
        await effects.once('chat', () => expect.fail('The effect was run.'))
        await tx.query('delete from page')
      },
      swallows: async (_, { tx }) => {
        await tx.query('insert into page (id) values (98)')
        await tx.query('insert into page (id) values (98)').catch(() => undefined)
      },
      deletes: (_, { tx }) => tx.query('truncate page, feed_inbox.entry cascade'),
    })
    expect(await dump(database())).toEqual(before)
    expect(before.some((row) => row.startsWith('page: '))).toBe(true)
    expect(report).toMatchObject({
      ended: 'all',
      events: 12,
      handled: 6,
      thrown: 4,
      skipped: 2,
      emptied: 0,
    })
    const counts = Object.fromEntries(
      report.types.map(({ type, handled, thrown, skipped }) => [type, [handled, thrown, skipped]]),
    )
    expect(counts).toEqual({
      writes: [2, 0, 0],
      throws: [0, 2, 0],
      notes: [2, 0, 0],
      swallows: [0, 2, 0],
      deletes: [2, 0, 0],
      other: [0, 0, 2],
    })
  })

  it('counts changed rows by table, only for handled events', embedded, async () => {
    const run = await store([makeEvent(), makeEvent(), makeEvent({ type: 'bad' })])
    const write: Handler = async ({ type }, { tx }) => {
      await tx.query(`insert into page (id, title) values (98, 'a'), (99, 'b')`)
      await tx.query(`update page set title = 'c' where id = 98`)
      await tx.query('delete from page where id = 99')
      if (type === 'bad') throw new Error('too late')
    }
    const { types, countsRows } = await run({ '*': write })
    expect(countsRows).toBe(true)
    expect(types).toMatchObject([
      {
        type: 'model_release',
        rows: [{ table: 'public.page', inserted: 4, updated: 2, deleted: 2 }],
      },
      { type: 'bad', rows: [] },
    ])
  })

  it('returns recorded effects, runs no others, and reports the consequences', async () => {
    const events = [makeEvent(), makeEvent()]
    const run = await store(events)
    const handler: Handler = async ({ id }, { effects }) => {
      const page = await effects.once(`page-${id}`, () => ({ pageId: 3 }))
      return page.pageId
    }
    const { types, thrown } = await run({ '*': handler })
    expect(thrown).toBe(2)
    expect(types[0]).toMatchObject({
      effects: [{ key: 'page-<id>', wouldRun: 2, fromLedger: 0 }],
      errors: [
        {
          message: expect.stringMatching(/^TypeError: .*pageId/),
          events: 2,
          eventIds: expect.arrayContaining(events.map(({ id }) => id)),
          afterEffect: 2,
        },
      ],
    })
    const faked = await run({ '*': handler }, { effectResult: () => ({ pageId: 4 }) })
    expect(faked).toMatchObject({ handled: 2, thrown: 0 })
  })

  it('rejects an effect after the first statement, like a real run', async () => {
    const run = await store([makeEvent()])
    const { types } = await run({
      '*': async (_, { tx, effects }) => {
        await tx.query('select 1')
        await effects.once('mail', () => 1)
      },
    })
    expect(types[0]?.errors[0]?.message).toContain('after the first statement through tx')
  })

  it('passes handlers the full context of a first attempt', async () => {
    const event = makeEvent()
    const run = await store([event])
    const seen: unknown[] = []
    await run({ '*': (...given) => seen.push(given) })
    expect(seen).toEqual([
      [
        event,
        {
          tx: expect.objectContaining({ query: expect.any(Function) }),
          effects: { once: expect.any(Function) },
          signal: expect.any(AbortSignal),
          attempt: 1,
          receivedAt: expect.any(Date),
          via: 'push',
          change: 'new',
          revision: 1,
          reprocess: false,
        },
      ],
    ])
  })

  it('handles matching events in the order of acceptance', embedded, async () => {
    const events = Array.from({ length: 130 }, (_, at) =>
      makeEvent(at % 13 === 0 ? { type: 'rare' } : {}),
    )
    const run = await store(events)
    const seen: string[] = []
    const see = { '*': ({ id }: FeedEvent) => void seen.push(id) }
    expect(await run(see, { concurrency: 1 })).toMatchObject({ events: 130, ended: 'all' })
    expect(seen).toEqual(events.map(({ id }) => id))
    expect(await run(see, { filter: { type: 'rare' } })).toMatchObject({ events: 10 })
    expect(await run(see, { limit: 60 })).toMatchObject({ events: 60, ended: 'limit' })
    const none = await run(see, { filter: { provider: 'nobody' } })
    expect(none).toMatchObject({ events: 0, ended: 'all', types: [] })
  })

  it('handles types named like object members', async () => {
    const types = ['constructor', '__proto__', 'toString']
    const run = await store(types.map((type) => makeEvent({ type })))
    const report = await run({ constructor: () => undefined })
    expect(report).toMatchObject({ handled: 1, skipped: 2 })
    expect(report.types.map(({ type }) => type).toSorted()).toEqual(types.toSorted())
  })

  it.each(['commit', 'ROLLBACK', '/* all */ end', '-- so\n abort', 'begin'])(
    'rejects %j through tx before it is sent',
    async (statement) => {
      const run = await store([makeEvent()])
      const before = await dump(database())
      const { thrown, types } = await run({
        '*': async (_, { tx }) => {
          await tx.query('insert into page (id) values (97)')
          await tx.query(statement)
        },
      })
      expect(thrown).toBe(1)
      expect(types[0]?.errors[0]?.message).toContain('may not run')
      expect(await dump(database())).toEqual(before)
    },
  )

  it.each(['commit', 'rollback'])(
    'stops if a handler gets a %s through',
    embedded,
    async (statement) => {
      const run = await store([makeEvent(), makeEvent()])
      const before = await dump(database())
      let calls = 0
      const running = run(
        {
          '*': async (_, { tx }) => {
            calls += 1
            await tx.executeSql(`insert into page (id) values (97); ${statement}`)
          },
        },
        { concurrency: 1 },
      )
      await expect(running).rejects.toMatchObject({ code: 'rehearsal_left' })
      expect(calls).toBe(1)
      expect(await dump(database())).toEqual(before)
    },
  )

  it('counts an event as thrown if it could not be committed', embedded, async () => {
    const run = await store([makeEvent({ type: 'caught' }), makeEvent({ type: 'deferred' })])
    const { thrown, types } = await run({
      caught: (_, { tx }) => tx.query('select 1 / 0').catch(() => undefined),
      deferred: (_, { tx }) => tx.query(`insert into once values ('a'), ('a')`),
    })
    expect(thrown).toBe(2)
    const messages = types.map(({ errors }) => errors[0]?.message)
    expect(messages).toEqual([
      expect.stringContaining('the handler caught its error'),
      expect.stringContaining('once_pkey'),
    ])
  })

  it('names a conflict with a row from an earlier run', embedded, async () => {
    const insert: Record<string, Handler> = {
      model_release: ({ id }, { tx }) => tx.query('insert into unique_page values ($1)', [id]),
    }
    const run = await store([makeEvent(), makeEvent()], insert)
    const { types } = await run(insert)
    expect(types[0]?.errors).toMatchObject([{ code: '23505', events: 2, handledBefore: 2 }])
  })

  it('begins no transaction before the first statement', async () => {
    const run = await store([makeEvent()])
    let start = () => {}
    const started = new Promise<void>((resolve) => (start = resolve))
    let go = () => {}
    const gone = new Promise<void>((resolve) => (go = resolve))
    const running = run({ '*': () => (start(), gone) })
    await started
    // On the embedded database this would wait for an open transaction.
    await database().query('select 1')
    go()
    expect(await running).toMatchObject({ handled: 1 })
  })

  it('continues after a handler times out, which can then do nothing more', embedded, async () => {
    const run = await store([makeEvent({ type: 'hangs' }), makeEvent()])
    let wake = () => {}
    const woken = new Promise<void>((resolve) => (wake = resolve))
    let late: Promise<unknown> = Promise.resolve()
    let isAborted = false
    const report = await run(
      {
        hangs: (_, { tx, signal }) => {
          late = tx.query('insert into page (id) values (96)').then(async () => {
            await woken
            isAborted = signal.aborted
            return await tx.query('insert into page (id) values (95)')
          })
          return late
        },
        '*': () => undefined,
      },
      { timeoutMs: 1_000, concurrency: 1 },
    )
    wake()
    await expect(late).rejects.toMatchObject({ code: 'tx_ended' })
    expect(isAborted).toBe(true)
    expect(report).toMatchObject({ events: 2, handled: 1, thrown: 1, ended: 'all' })
    expect(report.types.find(({ type }) => type === 'hangs')?.errors[0]?.message).toBe(
      'Error: timed out: the handler was still running after 1 s',
    )
    const { rows } = await database().query('select id from page where id in (95, 96)')
    expect(rows).toEqual([])
  })

  it('starts the time of a handler only once a connection is free', embedded, async () => {
    const run = await store(Array.from({ length: 4 }, () => makeEvent()))
    const report = await run(
      {
        '*': async (_, { tx }) => {
          await tx.query('select 1')
          await delay(400)
        },
      },
      { timeoutMs: 1_000 },
    )
    expect(report).toMatchObject({ handled: 4, thrown: 0 })
  })

  it('reads on if retention deletes what it has read', embedded, async () => {
    await store(Array.from({ length: 60 }, () => makeEvent()))
    const inbox = { database: database(), source: `source_${sources}`, schema: 'feed_inbox' }
    const context = await findInbox(inbox)
    const read: string[] = []
    for await (const { eventId, id } of readStored(context, {})) {
      read.push(eventId)
      await database().query('delete from feed_inbox.entry_body where entry_id = $1', [id])
      await database().query('delete from feed_inbox.entry where id = $1', [id])
    }
    expect(new Set(read).size).toBe(60)
  })

  it('reads on if an event is stored whose id is what it searches for', embedded, async () => {
    const search = `word_${sources}`
    await store(Array.from({ length: 60 }, () => makeEvent({ type: search })))
    const inbox = { database: database(), source: `source_${sources}`, schema: 'feed_inbox' }
    const read: string[] = []
    for await (const { eventId } of readStored(await findInbox(inbox), { search })) {
      if (read.length === 0) {
        await database().query(
          'update feed_inbox.entry set event_id = $2 where source = $1 and event_id = $3',
          [inbox.source, search, eventId],
        )
      }
      read.push(eventId)
    }
    expect(read).toHaveLength(60)
  })

  it('ends after the running handler once its signal aborts', async () => {
    const run = await store([makeEvent(), makeEvent(), makeEvent()])
    const stopping = new AbortController()
    const done: number[] = []
    const report = await run(
      { '*': () => stopping.abort() },
      {
        concurrency: 1,
        signal: stopping.signal,
        onProgress: ({ events }) => done.push(events),
      },
    )
    expect(report).toMatchObject({ events: 1, handled: 1, ended: 'aborted' })
    expect(done).toEqual([1])
  })

  it('counts entries that retention emptied', embedded, async () => {
    const run = await store([makeEvent(), makeEvent()])
    await database().query(
      `delete from feed_inbox.entry_body where entry_id = (
         select min(id) from feed_inbox.entry where source = 'source_${sources}')`,
    )
    expect(await run({ '*': () => undefined })).toMatchObject({ handled: 1, emptied: 1 })
  })

  it('says where it found no inbox', embedded, async () => {
    const where = kind === 'pglite' ? 'the embedded database' : 'the database test'
    const running = rehearse({ handlers: {}, database: database(), schema: 'elsewhere' })
    await expect(running).rejects.toMatchObject({
      code: 'no_inbox',
      message: expect.stringContaining(`no inbox in the schema elsewhere of ${where}`),
    })
    const { rows } = await database().query(
      `select nspname from pg_namespace where nspname like 'elsewhere%'`,
    )
    expect(rows).toEqual([])
  })

  it.each<[string, Options]>([
    ['concurrency', { concurrency: 0 }],
    ['limit', { limit: Number.NaN }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['since', { filter: { since: 'yesterday' } }],
    ['source', { source: 'No Name' }],
  ])('rejects a bad %s', embedded, async (name, options) => {
    const running = rehearse({ handlers: {}, database: database(), ...options })
    await expect(running).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining(`${name}:`),
    })
  })
})

it.each([
  ['a folder', (folder: string) => ({ folder })],
  ['the text of a folder', (folder: string) => `file:${folder}`],
])('creates no embedded database in %s', async (_, name) => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-none-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const database = join(folder, 'database')
  const running = rehearse({ handlers: {}, database: name(database) })
  await expect(running).rejects.toMatchObject({ code: 'no_inbox' })
  await rm(database, { recursive: true }).catch((error: NodeJS.ErrnoException) =>
    expect(error.code).toBe('ENOENT'),
  )
})
