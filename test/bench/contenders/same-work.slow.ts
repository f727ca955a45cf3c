import { createSender, fixture } from '@feed-receiver/sender'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../bench-store.ts'
import { secret, startServer, startStoreOf } from '../beside/contender-server.ts'
import { contenderNames, type ContenderName } from './contenders.ts'
import { runHandlers } from '../run-handlers.ts'
import { startBenchProgram } from '../start-bench-program.ts'

/** As many later events that by their end a second job of an earlier one would have run. */
const later = 20

describe.each(contenderNames)('the server and the worker of %s', (name) => {
  it('store and handle an event once that is delivered twice', async () => {
    const store = await startStoreOf(name, { hasEffects: true, logFiles: 1 })
    onTestFinished(() => store.stop())
    const server = startServer(name, store)
    onTestFinished(() => server.kill())
    const to = `http://127.0.0.1:${await server.nextLine()}/webhooks/feed`
    expect(await send(to, 'whsec_of_another')).toBe(401)
    expect(await send(to)).toBe(202)
    expect(await send(to)).toBeOneOf([200, 202])

    const args = [name, store.databaseUrl, store.redisUrl]
    const worker = startBenchProgram('handle-worker.ts', args)
    onTestFinished(() => worker.kill())
    await runHandlers(worker, { jobs: later, lone: 1 })
    const effects = () => select(store, 'select event_id as id from effect')
    // The worker of pg-boss reports the last one before its transaction ends.
    await expect.poll(effects).toHaveLength(1 + later + 1)
    const stored = await storedIds(name, store)
    expect(stored).toContain('evt_twice')
    expect(stored).toHaveLength(1 + later + 1)
    expect(new Set(await effects())).toEqual(new Set(stored))
  })
})

async function send(to: string, other?: string): Promise<number | undefined> {
  await using sender = createSender({ secret: other ? `feed_${other}` : secret })
  const { status } = await sender.attempt(fixture('model_release', { id: 'evt_twice' }), { to })
  return status ?? undefined
}

async function storedIds(name: ContenderName, store: Store): Promise<string[]> {
  if (name === 'feed-receiver') {
    return await select(store, 'select event_id as id from feed_inbox.entry')
  }
  if (!store.redisUrl) return await select(store, 'select id from event')
  const redis = new Redis(store.redisUrl)
  const keys = await redis.keys('bull:events:evt_*')
  redis.disconnect()
  return keys.map((key) => key.slice('bull:events:'.length))
}

async function select({ databaseUrl }: Store, text: string): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ id: string }>(text)
  await client.end()
  return rows.map(({ id }) => id)
}
