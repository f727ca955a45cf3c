import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { drizzle } from 'drizzle-orm/node-postgres'
import { sql } from 'drizzle-orm'
import { Pool } from 'pg'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget, useDatabase } from '../../../../test/support/databases.ts'
import { openDatabase, type Database, type Tx } from '@feed-receiver/database'
import { createInbox, drizzleTransaction, Permanent, type InboxOptions } from '@feed-receiver/inbox'
import { reproduce, runReproduction } from '../rehearse/index.ts'

const at = '2026-03-01T10:00:00.000Z'
const seen = { at, via: 'push', change: 'new', revision: 1 } as const
const version = (event: object) => ({ ...seen, signed: event })
const clock = '2026-03-01T12:00:00.000Z'

describe('runReproduction', () => {
  // An embedded one of its own, which is the default, takes a second to create.
  const lent = useDatabase('postgres')

  it('throws the error of the handler itself', async () => {
    const error = new Permanent('no such customer')
    const died = runReproduction({
      clock,
      database: lent(),
      event: { ...version(makeEvent()), attempt: 11, reprocess: true },
      handlers: {
        '*': (_, { attempt, reprocess, receivedAt }) => {
          expect([attempt, reprocess]).toEqual([11, true])
          expect(receivedAt).toEqual(new Date(at))
          throw error
        },
      },
    })
    await expect(died).rejects.toBe(error)
  })

  it('runs no effect, returns results that are stored or replaced, and names the others', async () => {
    const event = makeEvent()
    const answers: unknown[] = []
    const { notRun } = await runReproduction({
      clock,
      database: lent(),
      source: 'other',
      event: { ...version(event), done: { page: { id: 7 }, empty: undefined } },
      effects: { mail: ({ idempotencyKey }) => idempotencyKey },
      handlers: {
        '*': async (_, { effects, tx }) => {
          for (const key of ['page', 'empty', 'mail', 'constructor']) {
            answers.push(await effects.once(key, () => expect.unreachable()))
          }
          await tx.query('select 1')
          await expect(effects.once('late', () => 1)).rejects.toThrow('first statement through tx')
        },
      },
    })
    expect(answers).toEqual([{ id: 7 }, undefined, `other/${event.id}/mail`, undefined])
    expect(notRun).toEqual(['constructor'])
  })

  it('runs no effect of an unknown type', async () => {
    const { notRun } = await runReproduction({
      clock,
      database: lent(),
      event: version(makeEvent({ type: 'of_a_later_day' })),
      handlers: {
        futureTypes: {
          of_a_later_day: (_, { effects }) => effects.once('page', () => expect.unreachable()),
        },
      },
    })
    expect(notRun).toEqual(['page'])
  })

  it('passes the facts from pull to handlers, alone and with the signed event', async () => {
    const [only, both] = [makeEvent(), makeEvent()]
    const pull = { observedAt: at }
    const given: unknown[] = []
    await runReproduction({
      clock,
      database: lent(),
      before: [{ ...seen, via: 'pull', pulled: { ...only, pull } }],
      event: { ...version({ ...both, more: 1 }), pulled: { ...both, pull } },
      handlers: { '*': (event, { via }) => given.push([via, event]) },
    })
    expect(given).toEqual([
      ['pull', { ...only, pull }],
      ['push', { ...both, more: 1, pull }],
    ])
  })

  it('sets the clock of the process and of its database, and resets it', async () => {
    const times: Date[] = []
    const RealDate = Date
    await runReproduction({
      clock,
      event: version(makeEvent()),
      handlers: {
        '*': async (_, { tx }) => {
          const { rows } = await tx.query<{ now: Date }>('select now()')
          times.push(new Date(), new Date(Date.now()), ...rows.map(({ now }) => now))
          expect(new Date('2020-01-01') instanceof Date).toBe(true)
        },
      },
    })
    expect(times.map((time) => time.toISOString().slice(0, 16))).toEqual(
      Array.from({ length: 3 }, () => '2026-03-01T12:00'),
    )
    expect(Date).toBe(RealDate)
  })

  it('stores the template of its database at the time of the machine', async () => {
    const cache = await mkdtemp(join(tmpdir(), 'feed-receiver-cache-'))
    onTestFinished(() => rm(cache, { recursive: true }))
    vi.stubEnv('XDG_CACHE_HOME', cache)
    onTestFinished(() => void vi.unstubAllEnvs())
    const event = version(makeEvent())
    // At that time, nobody would have used it for a century.
    await runReproduction({ clock: '2126-03-01', event, handlers: { '*': () => undefined } })
    expect(await readdir(join(cache, 'feed-receiver'))).toHaveLength(1)
  }, 60_000)

  it('says what is missing or invalid in the test file', async () => {
    const event = version(makeEvent({ type: 'outage_started' }))
    const insert = {
      outage_started: (_: unknown, { tx }: { tx: Tx }) => tx.query('insert into page values (1)'),
    }
    const run = { clock, database: lent(), event, handlers: insert }
    await expect(runReproduction(run)).rejects.toThrow(/Create it in `prepare`/)
    const diedOf = 'relation "page" does not exist'
    await expect(runReproduction({ ...run, diedOf })).rejects.toThrow(diedOf)
    const earlier = { ...run, before: [version(makeEvent({ type: 'outage_started' }))] }
    await expect(runReproduction(earlier)).rejects.toThrow(
      /one of the events in `before`: relation "page"/,
    )
    await expect(runReproduction({ ...run, handlers: {} })).rejects.toThrow('outage_started')
    await expect(runReproduction({ ...run, clock: 'yesterday' })).rejects.toThrow(
      'yesterday is not a valid time',
    )
    await expect(runReproduction({ ...run, event: seen })).rejects.toThrow('has no content')
    await expect(runReproduction({ ...run, event: version({}) })).rejects.toThrow(
      'not a valid event',
    )
    const prepare = (database: Database) => database.query('create table page (id int)')
    expect(await runReproduction({ ...run, prepare })).toEqual({ notRun: [] })
  })

  it('skips events that may never have been handled', async () => {
    const ids: string[] = []
    const [first, second] = [makeEvent(), makeEvent()]
    await runReproduction({
      clock,
      database: lent(),
      before: [{ ...version(first), isCertain: false }],
      event: version(second),
      handlers: {
        '*': ({ id }) => {
          ids.push(id)
          if (id === first.id) throw new Error('as then')
        },
      },
    })
    expect(ids).toEqual([first.id, second.id])
  })

  it('runs in a transaction of Drizzle, on a PostgreSQL that it leaves unchanged', async () => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    if (typeof target !== 'string') throw new Error('It is a URL.')
    const pool = new Pool({ connectionString: target })
    const database = openDatabase(pool)
    onTestFinished(async () => {
      await database.close()
      await pool.end()
      await drop()
    })
    const ids: unknown[] = []
    const event = makeEvent()
    await runReproduction({
      clock,
      database,
      transaction: drizzleTransaction(drizzle(pool), sql),
      event: version(event),
      handlers: {
        '*': async ({ id }, { tx }) => {
          const { rows } = await tx.execute(sql`select ${id}::text as id`)
          ids.push(...rows)
        },
      },
    })
    expect(ids).toEqual([{ id: event.id }])
    const { rows } = await database.query(
      `select nspname from pg_namespace where nspname like 'reproduction%'`,
    )
    expect(rows).toEqual([])
  })
})

describe('reproduce', () => {
  const database = useDatabase('pglite', 'inbox')
  let sources = 0

  async function start(options: InboxOptions = {}) {
    const inbox = createInbox({
      database: database(),
      source: `source_${(sources += 1)}`,
      ...options,
    })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    return inbox
  }

  it('rejects a missing event, and one whose content was pruned', async () => {
    const inbox = await start()
    const { event, ...delivery } = deliveryOf(makeEvent())
    await expect(reproduce(inbox, event.id)).rejects.toMatchObject({ code: 'unknown_event' })
    await inbox.accept({ ...delivery, event })
    await inbox.drain({ '*': () => undefined })
    await inbox.prune({ bytesAfterDays: 0 })
    await expect(reproduce(inbox, event.id)).rejects.toMatchObject({ code: 'content_pruned' })
    const nameless = reproduce(inbox, event.id, { handlers: '' })
    await expect(nameless).rejects.toMatchObject({ code: 'bad_option' })
  })

  it('contains the state of an entry that is not dead', async () => {
    const inbox = await start()
    const { event, ...delivery } = deliveryOf(makeEvent())
    await inbox.accept({ ...delivery, event })
    expect(await reproduce(inbox, event.id)).toContain('State:  received. The event is not dead')
  })

  it('contains bytes that are not plain JSON in Base64, beside their text', async () => {
    const inbox = await start()
    const event = makeEvent()
    const body = Buffer.from(JSON.stringify(event, null, 1).replace('null', '\tnull'))
    await inbox.accept(deliveryOf(event, body))
    const written = await reproduce(inbox, event.id)
    expect(written).toContain(`signedBase64: '${body.toString('base64')}'`)
    expect(written).toContain(`// '{\\n "schema_version": "1.0",`)
  })

  it('contains the latest 50 handled events of the subject, and notes older ones', async () => {
    const inbox = await start()
    const accept = async (event: object) => inbox.accept(deliveryOf(event))
    const events = Array.from({ length: 52 }, () => makeEvent())
    const [last = makeEvent()] = events.slice(-1)
    const other = makeEvent({ data: { ...last.data, subject: { type: 'model', key: 'other' } } })
    for (const event of [other, ...events]) await accept(event)
    await inbox.drain({
      '*': ({ id }) => {
        if (id === last.id) throw new Permanent('no')
      },
    })
    const written = await reproduce(inbox, last.id)
    const ids = [...written.matchAll(/ id: '(.*)'/g)].map(([, id]) => id)
    expect(ids).toEqual(events.slice(1).map(({ id }) => id))
    expect(written).toContain('Older events about its subject are left out')
  })

  it('notes that an event died in a reprocess', async () => {
    const inbox = await start()
    const { event, ...delivery } = deliveryOf(makeEvent())
    await inbox.accept({ ...delivery, event })
    await inbox.drain({ '*': () => undefined })
    expect(await reproduce(inbox, event.id)).not.toContain('reprocess:')
    await inbox.entries.reprocess({ ids: [event.id] })
    await inbox.drain({
      '*': () => {
        throw new Permanent('no')
      },
    })
    expect(await reproduce(inbox, event.id)).toContain('      reprocess: true,\n')
  })

  it('redacts secrets in the error', async () => {
    const inbox = await start()
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await inbox.drain({
      '*': () => {
        throw new Permanent('no postgres://app:pass@db/app with feed_whsec_0123456789abcdef')
      },
    })
    const written = await reproduce(inbox, event.id)
    expect(written).toContain(`diedOf: 'no postgres://***@db/app with feed_***'`)
    expect(written).not.toMatch(/app:pass|feed_whsec_/)
  })
})
