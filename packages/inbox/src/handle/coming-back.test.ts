import { openDatabase } from '@feed-receiver/database'
import { Pool } from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { startProxy } from '../../../../test/chaos/faults/proxy.ts'
import { createTestDatabase, runSql } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { createInbox, type Inbox } from '../index.ts'

/** Acts as the sender, which retries after a 503. */
async function acceptOne(inbox: Inbox): Promise<string> {
  const delivery = deliveryOf(makeEvent())
  const isStored = () => inbox.accept(delivery).then(Boolean, () => false)
  await until('it is stored', isStored, { withinMs: 30_000 })
  return delivery.event.id
}

// They wait for seconds, so they do so at the same time.
describe.concurrent('an inbox', () => {
  it('handles events again after all its connections hung and stayed open', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const proxy = await startProxy(() => [Number(new URL(url).port)])
    const through = new URL(url)
    through.port = String(proxy.port)
    const inbox = createInbox({ database: through.href, onError: () => {} })
    await inbox.start()
    const seen: string[] = []
    await inbox.work({ '*': ({ id }) => void seen.push(id) })

    // The maximum number, so that each round leaves dead connections in the pools.
    for (let round = 0; round < 2; round += 1) {
      const ids = await Promise.all(Array.from({ length: 20 }, () => acceptOne(inbox)))
      await until('all are handled', () => ids.every((id) => seen.includes(id)))
      expect(proxy.silence()).toBeGreaterThan(2)
      const id = await acceptOne(inbox)
      await until('the next one is handled', () => seen.includes(id), { withinMs: 30_000 })
      // A handler without statements runs before its transaction finds the dead connections.
      const isDone = async () => (await inbox.entries.get(id).catch(() => null))?.state === 'done'
      await until('it is done', isDone, { withinMs: 30_000 })
      expect(await inbox.health()).toMatchObject({ ok: true })
    }
    await inbox.stop()
    await proxy.close()
    await drop()
  }, 120_000)

  it('handles events again after other code held all connections of its pool', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const pool = new Pool({ connectionString: url, max: 2 })
    // Long enough for a busy machine to connect before the connections are taken.
    const database = openDatabase(pool, { connectionTimeoutMs: 3_000 })
    const errors: unknown[] = []
    const inbox = createInbox({ database, onError: (error) => errors.push(error) })
    await inbox.start()
    const id = await acceptOne(inbox)
    const taken = [await pool.connect(), await pool.connect()]
    const seen: string[] = []
    await inbox.work({ '*': (event) => void seen.push(event.id) })
    await until('it is reported', () => errors.length > 0)
    expect(await inbox.health()).toMatchObject({
      ok: false,
      problems: [{ code: 'pool_exhausted' }],
    })

    for (const client of taken) client.release()
    // Its job returns to the queue only after a missed heartbeat, as for a worker that died.
    const backdate = `update feed_inbox.job set heartbeat_on = now() - interval '1 hour'
      where state = 'active' and data ->> 'entryId' is not null`
    await database.query(backdate)
    await until('it is handled', () => seen.includes(id), { withinMs: 30_000 })
    await inbox.stop()
    await database.close()
    await pool.end()
    await drop()
  }, 60_000)

  it('polls at once when a quiet worker loses its listening connection', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const server = inject('postgresUrl')
    const name = new URL(url).pathname.slice(1)
    const database = openDatabase(url)
    const inbox = createInbox({ database, onError: () => {} })
    await inbox.start()
    const seen: string[] = []
    await inbox.work({ '*': ({ id }) => void seen.push(id) })
    // Its connections stay open for the second event, because no new one can be made then.
    const first = await acceptOne(inbox)
    await until('the first one is handled', () => seen.includes(first))
    const ofWorker = `from pg_stat_activity
      where datname = '${name}' and application_name like '%-boss'`
    await until('the worker is quiet', async () => {
      const quiet = `select ${ofWorker} and query like '%msUntilDue%' and state = 'idle'`
      return (await database.query(quiet)).rowCount === 1
    })
    await runSql(server, `alter database ${name} allow_connections false`)
    const listening = `${ofWorker} and query ~* '^(listen |select 1$)'`
    await database.query(`select pg_terminate_backend(pid) ${listening}`)
    const second = await acceptOne(inbox)
    // A quiet worker that listens polls only every ten seconds.
    await until('the second one is handled', () => seen.includes(second), { withinMs: 5_000 })
    expect(seen).toEqual([first, second])
    await runSql(server, `alter database ${name} allow_connections true`)
    await inbox.stop()
    await database.close()
    await drop()
  }, 60_000)

  it('frees the slot of a handler that never returns once its claim is lost', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const database = openDatabase(url)
    const inbox = createInbox({ database: url, onError: () => {}, stopTimeoutMs: 500 })
    await inbox.start()
    await database.query(`update feed_inbox.queue set heartbeat_seconds = 10`)
    const id = await acceptOne(inbox)
    const attempts: number[] = []
    const never = new Promise<void>(() => {})
    const handlers = {
      '*': async (_event: unknown, { attempt }: { attempt: number }) => {
        attempts.push(attempt)
        if (attempt === 1) await never
      },
    }
    await inbox.work(handlers, { concurrency: 1 })
    await until('it hangs', () => attempts.length === 1)
    await database.query(
      `update feed_inbox.job set state = 'retry', start_after = now() where state = 'active'`,
    )
    const isDone = async () => (await inbox.entries.get(id))?.state === 'done'
    await until('it is done by another attempt', isDone, { withinMs: 20_000 })
    expect(attempts).toEqual([1, 2])
    await inbox.stop()
    await database.close()
    await drop()
  }, 60_000)
})
