import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTestDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { makeApp, type Release } from './make-app.ts'
import { startRelease, startTraffic } from './world.ts'

const kinds = { failing: 3, dead: 1, stuck: 2, slow: 34, quick: 20 }
const ids = Object.entries(kinds).flatMap(([kind, count]) =>
  Array.from({ length: count }, (_, index) => `evt_${kind}_${index}`),
)
const dead = 'evt_dead_0'

let folder: string
let apps: Record<Release, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feed-receiver-upgrade-'))
  apps = {
    previous: await makeApp('previous', folder),
    current: await makeApp('current', folder),
  }
})

afterAll(() => rm(folder, { recursive: true }))

describe.concurrent.each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s of the previous release',
  (signal) => {
    it('handles every acknowledged event exactly once', async ({ onTestFinished }) => {
      const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
      const database = openDatabase(url)
      await database.open()
      await database.query('create table run (event_id text, release text, attempt int)')
      await database.query('create table effect (event_id text, release text)')

      const previous = await startRelease(apps.previous, url, 'previous')
      onTestFinished(() => previous.kill('SIGKILL'))
      let port = previous.said
      const traffic = startTraffic(() => port, 40)
      const sent = traffic.send(ids)
      await until('handlers of each kind have run in the previous release', async () => {
        const started = await idsOf(database, 'run')
        return ['failing', 'stuck', 'slow'].every((kind) => started.some(isOfKind(kind)))
      })
      await until('an event is handled', async () => {
        return (await idsOf(database, 'effect')).some(isOfKind('slow'))
      })
      await until('an event is dead', async () => {
        const { rows } = await database.query(`select from feed_inbox.entry where state = 'dead'`)
        return rows.length === 1
      })
      previous.kill(signal)
      expect(await previous.ended).toBe(signal === 'SIGTERM' ? 0 : signal)
      await until('a delivery is retried', () => traffic.retries() > 0)
      const before = await idsOf(database, 'effect')
      // These have a retry ahead, or were in progress.
      expect(before.filter(isOfKind('failing'))).toEqual([])
      expect(before.filter(isOfKind('stuck'))).toEqual([])

      const schema = await newestMigration(database)
      const current = await startRelease(apps.current, url, 'current')
      onTestFinished(() => current.kill('SIGKILL'))
      port = current.said
      await sent
      expect(traffic.acknowledged.size).toBe(ids.length)
      // What a heartbeat that is missing for 30 seconds does, at once.
      await database.query(
        `update feed_inbox.job set heartbeat_on = heartbeat_on - interval '1 minute',
         retry_delay = 0, retry_backoff = false
       where state = 'active'`,
      )
      const living = ids.filter((id) => id !== dead).toSorted()
      await until(
        'every event is handled',
        async () => (await idsOf(database, 'effect')).length >= living.length,
        { withinMs: 30_000 },
      )
      expect(await idsOf(database, 'effect')).toEqual(living)

      const inbox = createInbox({ database: url })
      await inbox.start()
      const { entries } = await inbox.entries.list({ state: 'dead' })
      expect(entries.map(({ eventId }) => eventId)).toEqual([dead])
      await inbox.entries.retry({ ids: [dead] })
      await inbox.stop()
      await until('the dead event is handled', async () =>
        (await idsOf(database, 'effect')).includes(dead),
      )
      expect(await idsOf(database, 'effect')).toEqual(ids.toSorted())

      current.kill('SIGTERM')
      expect(await current.ended).toBe(0)
      const again = await startRelease(apps.previous, url, 'previous')
      onTestFinished(() => again.kill('SIGKILL'))
      if ((await newestMigration(database)) === schema) {
        // No migration lies between the two releases, so you may go back.
        expect(again.said).toMatch(/^\d+$/)
      } else {
        expect(again.said).toMatch(/^migration_newer: /)
        expect(await again.ended).toBe(1)
      }
      await traffic.close()
      await database.close()
      await drop()
    })
  },
)

function isOfKind(kind: string): (id: string) => boolean {
  return (id) => id.startsWith(`evt_${kind}_`)
}

async function newestMigration(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ name: string }>(
    'select name from feed_inbox.migration order by name desc limit 1',
  )
  return rows[0]?.name
}

async function idsOf(database: Database, table: 'run' | 'effect'): Promise<string[]> {
  const { rows } = await database.query<{ event_id: string }>(`select event_id from ${table}`)
  return rows.map((row) => row.event_id).toSorted()
}
