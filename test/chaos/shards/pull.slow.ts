import { createClient, createPoller, type PollInbox } from '@feed-receiver/client'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { shardInbox } from '@feed-receiver/shards'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useSandbox } from '../../../packages/sandbox/test/use-sandbox.ts'
import { feedIds } from '../../integration/feed-ids.ts'
import { startPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'

const patient = { timeout: 120_000, interval: 200 }

describe('a poller over shards on two servers', () => {
  const made = useSandbox({ historyDays: 180, firstCursor: 'replay' })

  it.each([
    // The first shard has the cursor. If it is down, the second one has already stored its share.
    ['first', 0],
    ['second', 1],
  ])(
    'stores every event once although the %s is killed meanwhile',
    async (which, killed) => {
      const { sandbox, key } = made()
      const { control } = sandbox
      await control.changeAccount({ id: 'acct_sandbox', usageLimit: 100_000, burstLimit: 120 })
      const servers = await Promise.all([server(), server()])
      const inboxes = servers.map(({ url }, index) =>
        createInbox({ database: url, instance: String(index + 1), onError: () => {} }),
      )
      const inbox = shardInbox(inboxes, { onError: () => {} })
      onTestFinished(() => inbox.stop())
      await inbox.start()

      /** The cursor after each page that was read, even if it could not be stored. */
      const read: unknown[] = []
      const killing: PollInbox = {
        ...inbox,
        acceptPage(events, progress) {
          read.push(progress.cursor)
          if (read.length === 3) servers[killed]?.kill()
          return inbox.acceptPage(events, progress)
        },
      }
      const errors: unknown[] = []
      const client = createClient({ baseUrl: sandbox.url, apiKey: key })
      const poller = createPoller({
        client,
        inbox: killing,
        onError: (error) => errors.push(error),
      })
      onTestFinished(() => poller.stop())
      await poller.start()

      await until('it is retried', () => errors.length >= 3, { withinMs: 60_000 })
      expect(read).toHaveLength(3)
      if (killed === 1) expect(await cursorIn(servers[0].url)).toBe(read[1])
      const before = await Promise.all(
        servers.map(({ url }, index) => (index === killed ? Promise.resolve([]) : idsIn(url))),
      )
      await servers[killed]?.restart()

      const feed = await feedIds(control)
      const stored = async () => (await Promise.all(servers.map(({ url }) => idsIn(url)))).flat()
      await expect.poll(async () => (await stored()).toSorted(), patient).toEqual(feed)
      await expect.poll(async () => (await inbox.streams.list())[0]?.phase, patient).toBe('tailing')
      // The cursor of a killed server is lost together with its pages, because neither commit waits
      // for the disk.
      expect(killed === 0 ? read.slice(0, 3) : read.slice(2, 3)).toContain(read[3])
      expect(read.length).toBeGreaterThan(5)
      console.log(
        `the ${which} of two servers killed:`,
        { pages: read.length, events: feed.length, failures: errors.length },
        'in the other one meanwhile:',
        before.flat().length,
      )

      // After the stored cursor there are only new events.
      for (let left = 3; left > 0; left -= 1) await control.composeEvent()
      const cursor = await cursorIn(servers[0].url)
      expect((await client.eventPage({ cursor })).items).toHaveLength(3)
      poller.pollNow()
      const all = await feedIds(control)
      await expect.poll(async () => (await stored()).toSorted(), patient).toEqual(all)
      const handled: string[] = []
      await inbox.drain({ '*': ({ id }) => void handled.push(id) }, { forMs: 120_000 })
      expect(handled.toSorted()).toEqual(all)
    },
    300_000,
  )
})

async function server() {
  const started = await startPostgres({ isDurable: true })
  onTestFinished(() => started.stop())
  return started
}

async function idsIn(url: string): Promise<string[]> {
  await using database = openDatabase(url)
  const { rows } = await database.query<{ id: string }>(
    'select event_id as id from feed_inbox.entry',
  )
  return rows.map(({ id }) => id)
}

async function cursorIn(url: string): Promise<string | null> {
  await using database = openDatabase(url)
  const { rows } = await database.query<{ cursor: string | null }>(
    'select cursor from feed_inbox.poll_stream',
  )
  return rows[0]?.cursor ?? null
}
