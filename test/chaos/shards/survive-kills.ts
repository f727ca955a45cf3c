import { setTimeout as delay } from 'node:timers/promises'
import { createInbox, type EntryFilter } from '@feed-receiver/inbox'
import { openDatabase } from '@feed-receiver/database'
import { shardInbox, type PreviousShards } from '@feed-receiver/shards'
import { expect, onTestFinished } from 'vitest'
import { createChoice } from '../../../packages/shards/src/choose-shard.ts'
import { secret } from '../../contract/harness.ts'
import { startProgram } from '../../support/start-program.ts'
import { until } from '../../support/until.ts'
import { openShard, type NamedShard } from './open-shard.ts'
import { createTraffic, type Answer } from './traffic.ts'

const program = new URL('receiver-process.ts', import.meta.url)

interface Ground {
  /** The minimum number to accept, including duplicates. */
  deliveries: number
  /** The third one is added under traffic. */
  shards: readonly [NamedShard, NamedShard, NamedShard]
  /** The PostgreSQL of only the second shard. */
  killed: { kill(): void; restart(): Promise<void> }
}

/**
 * Sends deliveries with duplicates to two receivers, kills one of them and the PostgreSQL of one of
 * two shards with -9, restarts both, and adds a third shard. Events of the other shard must be
 * accepted all the time. Returns the events that no handler had, and those that one had twice.
 */
export async function surviveKills({
  deliveries,
  shards,
  killed,
}: Ground): Promise<Record<'lost' | 'doubled', string[]>> {
  process.env.FEED_SIGNING_SECRET = secret
  const receivers = new Set<number>()
  const first = await receiver(shards.slice(0, 2))
  const second = await receiver(shards.slice(0, 2))
  const traffic = createTraffic(receivers)
  const sending = traffic.run()
  const sent = (share: number) =>
    until('more is accepted', () => traffic.accepted() > deliveries * share, { withinMs: 240_000 })

  await sent(0.15)
  killed.kill()
  second.kill()
  await delay(500)
  const downFrom = performance.now()
  await delay(2_500)
  const downTo = performance.now()
  await killed.restart()
  const replacement = await receiver(shards.slice(0, 2))
  const ofTwo = createChoice(2)
  const whileDown = (shard: number) =>
    traffic.answers.filter(
      ({ event, startedAt, endedAt }) =>
        startedAt > downFrom && endedAt < downTo && ofTwo.ofEvent(event) === shard,
    )
  const there = count(whileDown(0))
  const gone = count(whileDown(1))
  console.log('while the server of the second shard is down:', { there, gone })

  await sent(0.3)
  const previous: PreviousShards = { shards: 2, until: new Date(Date.now() + 45_000) }
  for (const old of [first, replacement]) {
    await receiver(shards, previous)
    await old.stop()
  }
  // After that time the old number would duplicate events, see docs/growing.md.
  expect(Date.now()).toBeLessThan(Number(previous.until))
  await sent(0.6)
  await delay(Math.max(0, Number(previous.until) + 1_500 - Date.now()))
  await sent(0.75)
  await until('enough was sent', () => traffic.events.length >= deliveries / 2, {
    withinMs: 240_000,
  })
  traffic.end()
  await sending

  const inboxes = shards.map((shard, index) =>
    createInbox({ ...openShard(shard), instance: String(index + 1) }),
  )
  const countAll = async (filter?: EntryFilter) => {
    const counts = await Promise.all(inboxes.map(({ entries }) => entries.count(filter)))
    return counts.reduce((sum, { count: one }) => sum + one, 0)
  }
  await using inbox = shardInbox(inboxes, { previous })
  await inbox.start()
  // Events in progress on the killed server are handled again after a missed heartbeat.
  await until('all is handled', async () => (await countAll({ state: 'received' })) === 0, {
    withinMs: 180_000,
  })
  const ids = traffic.events.map(({ id }) => id)
  const handled = await Promise.all(shards.map(readEffects))
  console.log(
    'accepted',
    traffic.accepted(),
    'of',
    ids.length,
    'events; handled by shard:',
    handled.map(({ length }) => length),
  )
  expect(traffic.accepted()).toBeGreaterThanOrEqual(deliveries)
  expect(await countAll()).toBe(ids.length)
  expect(handled[2]?.length).toBeGreaterThan(0)
  expect(there['202']).toBeGreaterThan(0)
  expect(Object.keys(there).filter((status) => status !== '200' && status !== '202')).toEqual([])
  expect(Object.keys(gone)).toEqual(['503'])
  expect(traffic.answers.filter(({ status }) => status >= 400 && status !== 503)).toEqual([])
  const all = handled.flat()
  const once = new Set(all)
  return {
    lost: ids.filter((id) => !once.has(id)),
    doubled: all.filter((id, index) => all.indexOf(id) !== index),
  }

  /** Starts a receiver, which gets deliveries until it is stopped or killed. */
  async function receiver(list: readonly NamedShard[], before?: PreviousShards) {
    const child = startProgram(program, [JSON.stringify(list), JSON.stringify(before ?? [])])
    onTestFinished(() => child.kill('SIGKILL'))
    const port = Number(await child.nextLine())
    receivers.add(port)
    return {
      kill() {
        child.kill('SIGKILL')
        receivers.delete(port)
      },
      async stop() {
        receivers.delete(port)
        child.kill('SIGTERM')
        await child.ended
      },
    }
  }
}

function count(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

async function readEffects(shard: NamedShard): Promise<string[]> {
  await using database = openDatabase(shard.database)
  const { rows } = await database.query<{ event_id: string }>('select event_id from handled')
  return rows.map((row) => row.event_id)
}
