import type { EntryFilter, FoundFilter } from '../entry/entry-filter.ts'
import { findSearched } from '../admin/find-searched.ts'
import type { BoundedCount } from '../entry/sql.ts'
import { problem } from '../errors.ts'
import type { CapsuleOptions } from '../admin/capsule.ts'
import type { Facets } from '../admin/find-facets.ts'
import type { EntryDetails } from '../admin/get-entry.ts'
import type { CountOptions, EntryPage, ListEntriesOptions } from '../admin/list-entries.ts'
import { readEntries } from '../admin/list-entries.ts'
import type { Replayed, ReplayOptions, ReplayTarget } from '../admin/replay-entries.ts'
import type { ReopenOptions } from '../admin/reopen-entries.ts'
import type { RetryOptions, RetryTarget } from '../admin/retry-entries.ts'
import { askAll, askInTurn, type Shard, type Shards } from './ask-shards.ts'
import { mergePages } from './merge-pages.ts'
import { shareId } from './shard-ids.ts'
import { sumCounts } from './sum-counts.ts'

const maxFacets = 100

/** The entries of all shards, with the methods of one inbox. */
export function createShardEntries<AppTx>(shards: Shards<AppTx>) {
  return { list, get, capsule, count, facets, retry, replay }

  async function list(options: ListEntriesOptions = {}): Promise<EntryPage> {
    const { after, limit, ...given } = options
    const filter = await searchAll(given)
    const page = { after, ...(limit !== undefined && { limit }) }
    const {
      rows,
      next,
      lookedBackTo = null,
    } = await mergePages(shards, page, {
      table: 'entry',
      time: 'received_at',
      async read(context, own, byTime) {
        const { entries, ...found } = await readEntries(context, { ...filter, ...own }, byTime)
        return { rows: entries, ...found }
      },
    })
    return { entries: rows, next, lookedBackTo }
  }

  async function get(eventId: string): Promise<EntryDetails | null> {
    const found = await find(eventId)
    return found && shareId(found.entry, found.shard.index)
  }

  async function capsule(eventId: string, options?: CapsuleOptions): Promise<string> {
    const found = await find(eventId)
    if (!found) throw problem('unknown_event', { id: eventId })
    return await found.shard.inbox.entries.capsule(eventId, options)
  }

  /**
   * Asks all shards, because the id alone does not decide the shard. A shard that fails matters
   * only if no other one has the entry.
   */
  async function find(
    eventId: string,
  ): Promise<{ entry: EntryDetails; shard: Shard<AppTx> } | null> {
    const asked = await Promise.allSettled(
      shards.all.map((shard) =>
        askAll({ ...shards, all: [shard] }, ({ inbox }) => inbox.entries.get(eventId)),
      ),
    )
    for (const [index, answer] of asked.entries()) {
      const shard = shards.all[index]
      const entry = answer.status === 'fulfilled' ? answer.value[0] : undefined
      if (shard && entry) return { entry, shard }
    }
    const failed = asked.find((answer) => answer.status === 'rejected')
    if (failed) throw failed.reason
    return null
  }

  async function count(filter?: EntryFilter, options: CountOptions = {}): Promise<BoundedCount> {
    const { upTo = 100_000 } = options
    const found = filter && (await searchAll(filter))
    const counts = await askAll(shards, ({ inbox }) => inbox.entries.count(found, { upTo }))
    return sumCounts(counts, upTo)
  }

  /**
   * If the search is the id of an event in one shard, selects that event in all shards. The others
   * would otherwise search for its words.
   */
  async function searchAll(filter: FoundFilter): Promise<FoundFilter> {
    if (!filter.search) return filter
    const found = await askAll(shards, async ({ context }) => findSearched(await context(), filter))
    return found.find(({ eventId }) => eventId !== undefined) ?? filter
  }

  async function facets(): Promise<Facets> {
    const found = await askAll(shards, ({ inbox }) => inbox.entries.facets())
    const union = (name: keyof Facets) =>
      [...new Set(found.flatMap((one) => one[name]))].toSorted().slice(0, maxFacets)
    return {
      providers: union('providers'),
      types: union('types'),
      categories: union('categories'),
    }
  }

  async function retry(target: RetryTarget, options: RetryOptions = {}): Promise<number> {
    let done = 0
    await everyShardIsThere()
    await askInTurn(shards, async ({ inbox }) => {
      done += await inbox.entries.retry(target, countingOn(done, options))
    })
    return done
  }

  async function replay(target: ReplayTarget, options: ReplayOptions = {}): Promise<Replayed> {
    let sum: Replayed | undefined
    await everyShardIsThere()
    await askInTurn(shards, async ({ inbox }) => {
      const settings = countingOn(sum?.replayed ?? 0, options)
      const handledBefore = sum?.handledBefore ?? options.handledBefore
      const one = await inbox.entries.replay(target, { ...settings, handledBefore })
      sum = sum ? addReplayed(sum, one) : one
    })
    if (!sum) throw problem('not_running')
    return sum
  }

  /** Checks that every shard answers, so that an operation does not stop halfway. */
  async function everyShardIsThere(): Promise<void> {
    await askAll(shards, async ({ context }) => {
      const { database } = await context()
      await database.query('select 1')
    })
  }
}

function addReplayed(sum: Replayed, one: Replayed): Replayed {
  return {
    replayed: sum.replayed + one.replayed,
    isExact: sum.isExact && one.isExact,
    emptied: sum.emptied + one.emptied,
    handledBefore: sum.handledBefore,
  }
}

/** Adds the number that other shards have already requeued to the progress. */
function countingOn<Options extends ReopenOptions>(done: number, options: Options): Options {
  const { onProgress } = options
  if (!onProgress) return options
  return { ...options, onProgress: (count: number) => onProgress(done + count) }
}
