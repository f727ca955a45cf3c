import type { FeedEvent } from '@feed-receiver/core'
import { problem } from '../errors.ts'
import type { ListOperationsOptions, OperationPage } from '../admin/operations.ts'
import { readOperations, type SettleOptions } from '../admin/operations.ts'
import type { ListQuarantinedOptions, QuarantinedDetails } from '../admin/quarantined.ts'
import { readQuarantined, releaseInto, type QuarantinedPage } from '../admin/quarantined.ts'
import type { InboxContext } from '../context.ts'
import { askNumbered, type Shard, type Shards } from './ask-shards.ts'
import { mergePages } from './merge-pages.ts'
import { fromSharedId, shareId, toSharedId } from './shard-ids.ts'

/** The quarantine of all shards, as one inbox. */
export function createShardQuarantine<AppTx>(shards: Shards<AppTx>) {
  return { list, get, release, discard }

  async function list(options: ListQuarantinedOptions = {}): Promise<QuarantinedPage> {
    const { rows, next } = await mergePages(shards, options, {
      table: 'quarantine',
      time: 'first_seen_at',
      async read(context, own, byTime) {
        const page = await readQuarantined(context, { ...options, ...own }, byTime)
        return { rows: page.quarantined, next: page.next }
      },
    })
    return { quarantined: rows, next }
  }

  async function get(sharedId: number): Promise<QuarantinedDetails | null> {
    const { id, shard } = fromSharedId(sharedId)
    const row = await askNumbered(shards, shard, ({ inbox }) => inbox.quarantined.get(id))
    return row ? shareId(row, shard) : null
  }

  async function release(
    sharedId: number,
    options: SettleOptions = {},
  ): Promise<'stored' | 'duplicate'> {
    return await ofRow(sharedId, async ({ context }, id) => {
      const home = await context()
      return await releaseInto(home, id, options, (event) => homeOf(event, home))
    })
  }

  async function discard(sharedId: number, options?: SettleOptions): Promise<void> {
    await ofRow(sharedId, async ({ inbox }, id) => {
      await inbox.quarantined.discard(id, options)
      return true
    })
  }

  /** An unreadable delivery may be in another shard than its event. */
  async function homeOf(event: FeedEvent, home: InboxContext): Promise<InboxContext> {
    const found = await askNumbered(shards, shards.choice.ofEvent(event), ({ context }) =>
      context(),
    )
    return found ?? home
  }

  async function ofRow<Result extends string | true>(
    sharedId: number,
    run: (shard: Shard<AppTx>, id: number) => Promise<Result>,
  ): Promise<Result> {
    const { id, shard } = fromSharedId(sharedId)
    const result = await askNumbered(shards, shard, (one) => run(one, id))
    if (result !== undefined) return result
    throw problem('not_quarantined', { id: sharedId, table: 'quarantine' })
  }
}

/** The operations on all shards, latest first. */
export async function listShardOperations<AppTx>(
  shards: Shards<AppTx>,
  options: ListOperationsOptions = {},
): Promise<OperationPage> {
  const { rows, next } = await mergePages(shards, options, {
    table: 'operation',
    time: 'done_at',
    isPartial: true,
    async read(context, own, byTime) {
      const page = await readOperations(context, { ...options, ...own }, byTime)
      return { rows: page.operations, next: page.next }
    },
  })
  const operations = rows.map(({ quarantineId, ...row }) => {
    const { shard } = fromSharedId(row.id)
    return { ...row, quarantineId: quarantineId && toSharedId(quarantineId, shard) }
  })
  return { operations, next }
}
