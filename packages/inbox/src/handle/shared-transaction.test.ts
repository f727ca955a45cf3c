import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import type { Tx } from '@feed-receiver/database'
import { useDatabase } from '../../../../test/support/databases.ts'
import {
  createInbox,
  type FailedAttempt,
  type Handler,
  type Handlers,
  type Inbox,
  type WorkOptions,
} from '../index.ts'

const events = 160
/** Handlers run alone until their type has shown that it is short. */
const alone = 40
const stored = events - alone
/** On a busy machine, handlers are not as short as by default. */
const shareTransactionMs = 200

describe('handlers that share a transaction', () => {
  const database = useDatabase('postgres', 'inbox')
  let sources = 0
  let source: string
  let inbox: Inbox

  beforeAll(async () => {
    await database().query('create table effect (source text, event_id text, tenant text)')
    await database().query(
      `create table amount (source text, value int,
         unique (source, value) deferrable initially deferred)`,
    )
  })

  beforeEach(async () => {
    source = `source${(sources += 1)}`
    inbox = createInbox({ database: database(), source })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    for (let sent = 0; sent < events; sent += 40) {
      await Promise.all(Array.from({ length: 40 }, () => inbox.accept(deliveryOf(makeEvent()))))
    }
  })

  it('commit together, with one transaction for several events', async () => {
    await handleAll({ '*': () => undefined })
    expect(await countTransactions()).toBeLessThan(events)
  })

  it('have one each if they may not share', async () => {
    await handleAll({ '*': () => undefined }, { shareTransactionMs: 0 })
    expect(await countTransactions()).toBe(events)
  })

  it.each([10_001, -1, Number.NaN, '20'])('reject a time of %s', async (ms) => {
    const options = { shareTransactionMs: ms as number }
    await expect(inbox.work({}, options)).rejects.toThrow(
      'shareTransactionMs: use a number of milliseconds from 0 to 10,000.',
    )
  })

  it('have one each if they take longer', async () => {
    await handleAll({ '*': () => delay(12) }, { shareTransactionMs: 20 })
    expect(await countTransactions()).toBe(events)
  })

  it.each<[string, Handler]>([
    ['throws', () => Promise.reject(new Error('of the handler'))],
    ['runs a statement that fails', (_, { tx }) => tx.query('select 1 / 0')],
    [
      'catches the error of a statement',
      (_, { tx }) => tx.query('select 1 / 0').catch(() => undefined),
    ],
    [
      'breaks a deferred constraint',
      (_, { tx }) => tx.query('insert into amount values ($1, 1), ($1, 1)', [source]),
    ],
    ['waits for a lock', (_, { tx }) => tx.query('select pg_advisory_xact_lock(4711)')],
  ])('are all handled once if one of them %s', async (_, fails) => {
    const unlock = await lock()
    const failed: FailedAttempt[] = []
    let calls = 0
    const { handlers, special } = handleEach((event, context) => {
      if (context.attempt > 1) return undefined
      calls += 1
      return fails(event, context)
    })
    await inbox.work(handlers, {
      shareTransactionMs,
      onFailed: (attempt) => void failed.push(attempt),
    })
    await expect.poll(() => countDone(), { timeout: 10_000 }).toBe(events - 1)
    await expect.poll(() => failed, { timeout: 10_000 }).toHaveLength(1)
    expect(failed).toEqual([expect.objectContaining({ eventId: special.id, attempt: 1 })])
    // Shared, and then alone.
    expect(calls).toBe(2)
    await unlock()
    expect(await readPending()).toEqual([{ state: 'retry', retries: 0 }])
    expect(await readEffects()).toEqual({ rows: stored - 1, events: stored - 1 })
  })

  it('are handled beside one that hangs, which runs again when it returns', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    onTestFinished(() => release())
    const runs: { isAborted: boolean }[] = []
    const { handlers } = handleEach(async (_, { signal }) => {
      const run = { isAborted: false }
      runs.push(run)
      signal.addEventListener('abort', () => (run.isAborted = true))
      if (runs.length === 1) await released
    })
    await inbox.work(handlers, { shareTransactionMs })
    await expect.poll(() => countDone(), { timeout: 10_000 }).toBe(events - 1)
    await expect.poll(() => runs, { timeout: 5_000 }).toEqual([{ isAborted: true }])
    release()
    await expect.poll(() => countDone()).toBe(events)
    expect(runs).toHaveLength(2)
    expect(await readEffects()).toEqual({ rows: stored, events: stored })
    expect(await readPending()).toEqual([])
  })

  it('do not see a setting of another one', async () => {
    const { handlers } = handleEach((_, { tx }) =>
      tx.query(`select set_config('app.tenant', 'acme', true)`),
    )
    await handleAll(handlers)
    const { rows } = await database().query(
      `select distinct tenant from effect where source = $1 and tenant > ''`,
      [source],
    )
    expect(rows).toEqual([{ tenant: 'acme' }])
    expect(await readEffects()).toEqual({ rows: stored, events: stored })
  })

  it('are not committed by another one', async () => {
    const dead: unknown[] = []
    const { handlers, special } = handleEach((_, { tx }) => tx.executeSql('select 1; commit'))
    await inbox.work(handlers, {
      shareTransactionMs,
      onDead: ({ eventId }) => void dead.push(eventId),
    })
    await expect.poll(() => countDone(), { timeout: 10_000 }).toBe(events - 1)
    await expect.poll(() => dead).toEqual([special.id])
    // Alone, it has committed what it wrote.
    expect(await readEffects()).toEqual({ rows: stored, events: stored })
  })

  it('are all handled if the claim of one is lost', async () => {
    const claims: string[] = []
    const { handlers } = handleEach(async ({ id }) => {
      if (claims.push(id) > 1) return
      await database().outside(() =>
        database().query(
          `update feed_inbox.job set retry_count = retry_count + 1, state = 'retry'
           where name = $1 and data ->> 'entryId' =
             (select id::text from feed_inbox.entry where source = $1 and event_id = $2)`,
          [source, id],
        ),
      )
    })
    await handleAll(handlers)
    expect(await readEffects()).toEqual({ rows: stored, events: stored })
  })

  it('run effects once, and may use the inbox before their first statement', async () => {
    const runs: string[] = []
    let calls = 0
    await handleAll({
      '*': async ({ id }, { effects }) => {
        if ((calls += 1) <= alone) return
        await effects.once('notify', () => void runs.push(id))
        expect(await inbox.entries.get(id)).toMatchObject({ state: 'received' })
      },
    })
    expect(runs.length).toBeGreaterThanOrEqual(events - alone)
    expect(new Set(runs).size).toBe(runs.length)
  })

  it('begin no more after a stop', async () => {
    const { handlers, special } = handleEach(() => undefined)
    await inbox.work(handlers, { shareTransactionMs })
    await expect.poll(() => special.id, { interval: 1 }).toBeDefined()
    await inbox.stop()
    const { rows } = await readEffects()
    const { rows: done } = await database().query(
      `select id from feed_inbox.entry where source = $1 and state = 'done'`,
      [source],
    )
    expect(done).toHaveLength(alone + rows)
    const pending = await readPending()
    const due = { state: 'created', retries: 0 }
    expect(pending).toEqual(Array.from({ length: stored - rows }, () => due))
  })

  /** Holds the lock that a handler waits for. */
  async function lock(): Promise<() => Promise<void>> {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    let held: Promise<void> | undefined
    await new Promise<void>((onHeld) => {
      held = database().tx(async (tx) => {
        await tx.query('select pg_advisory_xact_lock(4711)')
        onHeld()
        await released
      })
    })
    onTestFinished(() => release())
    return async () => {
      release()
      await held
    }
  }

  /**
   * A handler that stores one row for each event, once its type has shown that it is short. The first
   * event that shares a transaction is special.
   */
  function handleEach(ofSpecial: Handler) {
    const special: { id?: string } = {}
    const quick = new Set<string>()
    const handler: Handler = async (event, context) => {
      const { tx } = context
      if (quick.size < alone) quick.add(event.id)
      if (quick.has(event.id)) return
      if (special.id === undefined && (await isShared(tx))) special.id ??= event.id
      if (event.id === special.id) await ofSpecial(event, context)
      const tenant = `current_setting('app.tenant', true)`
      await tx.query(`insert into effect values ($1, $2, ${tenant})`, [source, event.id])
    }
    return { handlers: { '*': handler }, special }
  }

  /** Shared transactions have another time limit. */
  async function isShared(tx: Tx): Promise<boolean> {
    const { rows } = await tx.query(`select current_setting('statement_timeout') as limit`)
    return rows[0]?.['limit'] === '1s'
  }

  async function handleAll(handlers: Handlers, options?: WorkOptions): Promise<void> {
    await inbox.work(handlers, { shareTransactionMs, ...options })
    await expect.poll(() => countDone(), { timeout: 15_000 }).toBe(events)
  }

  async function countDone(): Promise<number> {
    return await inbox.entries.count({ state: 'done' }).then(({ count }) => count)
  }

  /** How many transactions have completed the jobs. */
  async function countTransactions(): Promise<number> {
    const { rows } = await database().query<{ count: number }>(
      `select count(distinct xmin::text)::integer as count from feed_inbox.job
       where name = $1 and state = 'completed'`,
      [source],
    )
    return rows[0]?.count ?? 0
  }

  async function readEffects(): Promise<{ rows: number; events: number }> {
    const { rows } = await database().query<{ rows: number; events: number }>(
      `select count(*)::integer as rows, count(distinct event_id)::integer as events
       from effect where source = $1`,
      [source],
    )
    return rows[0] ?? { rows: 0, events: 0 }
  }

  /** The jobs that are not completed. */
  async function readPending(): Promise<unknown[]> {
    const { rows } = await database().query(
      `select state, retry_count as retries from feed_inbox.job
       where name = $1 and state <> 'completed'`,
      [source],
    )
    return rows
  }
})
