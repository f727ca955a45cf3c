import { withContext } from '@feed-receiver/inbox/extend'
import { otherShard } from '@feed-receiver/inbox/internal'
import type { FeedEvent } from '@feed-receiver/core'
import type {
  AcceptPageOptions,
  PageAcceptance,
  TakenStream,
  TakeOptions,
} from '@feed-receiver/inbox'
import { askAll, type Shard, type Shards } from './ask-shards.ts'
import { maxShards } from './choose-shard.ts'

/**
 * Stores pages of the pull API in all shards. The first shard has the streams: cursors and leases.
 */
export function createShardPull<AppTx>(shards: Shards<AppTx>, first: Shard<AppTx>) {
  /** The streams whose beginning a shard knows, by the number of the shard and the name. */
  const begun = new Set<string>()
  return { acceptPage, take, leaveStreams }

  /**
   * Stores the part of each shard, and that of the first shard with the cursor last. After a crash
   * in between, or if the lease is lost, the cursor stays and the page is read again.
   */
  async function acceptPage(
    events: readonly FeedEvent[],
    options: AcceptPageOptions,
  ): Promise<PageAcceptance> {
    const { stream, at = new Date(), expects } = options
    await first.whenOpen()
    const shares = await shareOut(events)
    const others = shards.all.filter((shard) => shard !== first && shares.has(shard.index))
    const store = async (shard: Shard<AppTx>) => {
      await begin(shard, stream, at)
      return await shard.inbox.acceptPage(shares.get(shard.index) ?? [], { stream, at, expects })
    }
    // Without a cursor, each of these commits waits for the disk. The one with the cursor may not.
    const stored = await askAll(shards, store, others)
    const share = shares.get(first.index) ?? []
    const pages = [...stored, await first.inbox.acceptPage(share, { ...options, at })]
    const sum = (of: keyof PageAcceptance) => pages.reduce((total, page) => total + page[of], 0)
    return { stored: sum('stored'), revised: sum('revised'), quarantined: sum('quarantined') }
  }

  async function shareOut(events: readonly FeedEvent[]): Promise<Map<number, FeedEvent[]>> {
    const isOrdered = shards.isOrdered()
    const known = isOrdered ? await findKnown(events) : new Map<string, number>()
    const shares = new Map<number, FeedEvent[]>()
    for (const event of events) {
      const index = known.get(event.id) ?? shards.choice.ofEvent(event, isOrdered)
      const share = shares.get(index)
      if (share) share.push(event)
      else shares.set(index, [event])
    }
    return shares
  }

  /** A correction may change the subject, but stays in the shard that has the event. */
  async function findKnown(events: readonly FeedEvent[]): Promise<Map<string, number>> {
    // PostgreSQL takes no NUL, and the shard quarantines such an event.
    const ids = events.map(({ id }) => id).filter((id) => !id.includes('\0'))
    const found = await askAll(shards, ({ inbox, index }) =>
      withContext(inbox, async ({ database, tables, source }) => {
        const { rows } = await database.query<{ id: string }>(
          `select event_id as id from ${tables.entry}
           where source = $1 and event_id = any($2::text[])`,
          [source, ids],
        )
        return rows.map(({ id }): [string, number] => [id, index])
      }),
    )
    return new Map(found.flat())
  }

  /** Stores in a shard when the stream began. Push is not expected to have delivered older events. */
  async function begin({ inbox, index }: Shard<AppTx>, stream: string, at: Date): Promise<void> {
    const key = `${index} ${stream}`
    if (begun.has(key)) return
    const known = (await first.inbox.streams.list()).find((row) => row.stream === stream)
    const startedAt = known ? new Date(known.startedAt) : at
    await inbox.streams.take(stream, { holder: otherShard, leaseMs: 1, at: startedAt })
    begun.add(key)
  }

  /** Leaves the watch over the streams that a shard knows already to the first shard. */
  async function leaveStreams({ inbox }: Shard<AppTx>): Promise<void> {
    if (inbox === first.inbox) return
    for (const { stream } of await inbox.streams.list()) {
      await inbox.streams.take(stream, { holder: otherShard, leaseMs: 1 })
    }
  }

  async function take(stream: string, options: TakeOptions): Promise<TakenStream | null> {
    const latestTestId = await findLatestTest()
    await first.whenOpen()
    const taken = await first.inbox.streams.take(stream, options)
    return taken && { ...taken, latestTestId }
  }

  /** Test deliveries may go to any shard. The number says which one, so that it is unique. */
  async function findLatestTest(): Promise<number | null> {
    const filter = { type: 'destination_test', limit: 1 }
    const found = await askAll(shards, async ({ inbox, index }) => {
      const { entries } = await inbox.entries.list(filter)
      return entries.map(({ id, receivedAt }) => ({ id: id * maxShards + index, receivedAt }))
    })
    const [latest] = found
      .flat()
      .toSorted((one, other) => other.receivedAt.localeCompare(one.receivedAt))
    return latest?.id ?? null
  }
}
