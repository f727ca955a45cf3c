import { codeOf } from '@feed-receiver/core/internal'
import type {
  DeliveryInbox,
  EventDelivery,
  FeedEvent,
  Observation,
  Quarantined,
  UnreadableDelivery,
} from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import type {
  AcceptPageOptions,
  Drained,
  DrainOptions,
  Gaps,
  Handlers,
  HealthOptions,
  Inbox,
  InboxHealth,
  PageAcceptance,
  Pruned,
  PruneOptions,
  Streams,
  WorkOptions,
} from '@feed-receiver/inbox'
import { reportTo } from '@feed-receiver/inbox/internal'
import { withContext } from '@feed-receiver/inbox/extend'
import { askAll, nameShard, type Shard, type Shards } from './ask-shards.ts'
import { createChoice, findMisplaced, maxShards, type PreviousShards } from './choose-shard.ts'
import { checkOption, isMistake } from './errors.ts'
import { countGaps } from './gaps.ts'
import { mergeHealth } from './health.ts'
import { createShardLifecycle } from './lifecycle.ts'
import { createShardPull } from './pull.ts'

export interface ShardOptions {
  /**
   * The earlier numbers of inboxes and when each ended, earliest first. Leave this option in: it
   * costs nothing, and older events stay findable.
   * @default the same inboxes at all times
   */
  previous?: PreviousShards | readonly PreviousShards[] | undefined
  /**
   * Called for each failed attempt to open a shard, and for events in a shard to which they do not
   * belong.
   * @default process.emitWarning, the same text at most once a minute
   */
  onError?: ((error: unknown) => unknown) | undefined
}

/**
 * Several inboxes as one: what a receiver, a poller, workers and a health route need. Everything
 * that people look at and do is per shard, through `shards`. All but `answered` and `health` reject
 * with `not_running` before `start`.
 */
export interface ShardedInbox<AppTx = Tx> extends Required<DeliveryInbox>, AsyncDisposable {
  /** The name of the feed, which all shards share. */
  readonly source: string
  /** The inboxes in their order, for lists, retries, pauses and the console of one shard. */
  readonly shards: readonly Inbox<AppTx>[]
  /**
   * Opens all shards. Needs one that can be opened; the others are retried every two seconds.
   * Errors: `wrong_shard`, `bad_option`, and those of the first shard if none can be opened.
   */
  start(): Promise<void>
  /** Stops all shards. */
  stop(): Promise<void>
  /** Counts the deliveries that a receiver rejects, in one shard. Works before `start`. */
  answered(observation: Observation): void
  /** Stores a page in all shards, then its cursor. Errors: `lease_lost`, `shard_failed`. */
  acceptPage(events: readonly FeedEvent[], options: AcceptPageOptions): Promise<PageAcceptance>
  /**
   * Starts this process's worker in each shard, once per start. `concurrency` and `limits` apply to
   * each of them. Errors: `bad_handler`, `already_working`.
   */
  work(handlers: Handlers<AppTx>, options?: WorkOptions): Promise<void>
  /** Handles the due entries of the open shards. Errors: `bad_handler`. */
  drain(handlers: Handlers<AppTx>, options?: DrainOptions): Promise<Drained>
  /** The streams of the pull API, which the first shard has. */
  readonly streams: Streams
  /** The gaps of all shards. Errors: `shard_failed`. */
  readonly gaps: Pick<Gaps, 'count'>
  /** Prunes every shard. Errors: `bad_option`, `shard_failed`. */
  prune(options?: PruneOptions): Promise<Pruned>
  /** The health of all shards. Never rejects; answers within five seconds. */
  health(options?: HealthOptions): Promise<InboxHealth>
}

/**
 * Combines several inboxes, each on its own PostgreSQL or in its own schema, into one, for feeds
 * that outgrow one PostgreSQL. Each event belongs to one shard, by its id, or by its subject in
 * ordered inboxes. If a shard is down, deliveries to it reject, and the others continue. Throws
 * `ShardError` `bad_option`.
 *
 * List the inboxes in the same order in every process, new ones at the end, with `previous`. Give
 * each its own option `instance`.
 */
export function shardInbox<AppTx = Tx>(
  inboxes: readonly Inbox<AppTx>[],
  options: ShardOptions = {},
): ShardedInbox<AppTx> {
  const source = checkInboxes(inboxes)
  const count = inboxes.length
  const report = reportTo(options.onError)
  const choice = createChoice(count, options.previous)
  let isOrdered: boolean | undefined
  const lifecycle = createShardLifecycle({
    inboxes,
    check,
    report: (error, index) => report(describeFailure(error, index, count)),
  })
  const all = inboxes.map((inbox, index): Shard<AppTx> => ({
    index,
    inbox,
    whenOpen: () => lifecycle.whenOpen(index),
  }))
  const first = at(all, 0)
  const shards: Shards<AppTx> = { all, choice, isOrdered: () => isOrdered === true }
  const pull = createShardPull(shards, first)
  const { start, stop, work } = lifecycle

  return {
    source,
    shards: inboxes,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    accept: (delivery: EventDelivery) =>
      inShard(
        () => choice.ofEvent(delivery.event, isOrdered),
        (inbox) => inbox.accept(delivery),
      ),
    quarantine: (delivery: UnreadableDelivery, reason: Quarantined) =>
      inShard(
        () => choice.ofUnreadable(delivery.eventId, delivery.body),
        (inbox) => inbox.quarantine(delivery, reason),
      ),
    answered(observation) {
      const counting = all.find(({ index }) => lifecycle.isOpen(index)) ?? first
      counting.inbox.answered(observation)
    },
    acceptPage: pull.acceptPage,
    work,
    async drain(handlers, limits) {
      const open = await lifecycle.openShards()
      const drains = open.map((index) => at(inboxes, index).drain(handlers, limits))
      return sumDrained(await Promise.allSettled(drains), count, report)
    },
    streams: {
      list: async () => (await streamsOfFirst()).list(),
      take: pull.take,
      note: async (...given) => (await streamsOfFirst()).note(...given),
      release: async (...given) => (await streamsOfFirst()).release(...given),
    },
    gaps: { count: (asked) => countGaps(shards, asked) },
    async prune(asked) {
      const pruned = await askAll(shards, ({ inbox }) => inbox.prune(asked))
      return {
        emptied: pruned.reduce((sum, one) => sum + one.emptied, 0),
        deleted: pruned.reduce((sum, one) => sum + one.deleted, 0),
      }
    },
    health: (asked) => mergeHealth(shards, lifecycle.failureOf, asked),
  }

  async function streamsOfFirst(): Promise<Streams> {
    await first.whenOpen()
    return first.inbox.streams
  }

  /** The shard is known only once one is open, which says whether they are ordered. */
  async function inShard<Result>(
    choose: () => number,
    run: (inbox: Inbox<AppTx>) => Promise<Result>,
  ): Promise<Result> {
    await lifecycle.whenStarted()
    const shard = at(all, choose())
    await shard.whenOpen()
    return await run(shard.inbox)
  }

  /** Checks a shard that has just been opened. */
  async function check(index: number): Promise<void> {
    const isThis = await withContext(at(inboxes, index), async ({ queue }) => queue.isOrdered)
    isOrdered ??= isThis
    const isAgreed = isThis === isOrdered
    checkOption(isAgreed, 'inboxes: set the same option ordered for all of them.')
    const { list } = at(inboxes, index).entries
    const { entries } = await list({ limit: checkedEntries })
    // A correction may change the subject, but leaves the event in its shard.
    const corrected = isOrdered ? await list({ limit: checkedEntries, minRevision: 2 }) : undefined
    const ids = new Set(corrected?.entries.map(({ id }) => id))
    const checked = entries.filter(({ id }) => !ids.has(id))
    const misplaced = findMisplaced(checked, { choice, isOrdered, index, count })
    if (misplaced) report(misplaced)
    await pull.leaveStreams(at(all, index))
  }
}

/** How many of the newest entries of a shard are checked. */
const checkedEntries = 100

/** Checks what all inboxes have in common, and returns their source. */
function checkInboxes(inboxes: readonly Inbox<never>[]): string {
  const count = inboxes.length
  const isCount = count >= 1 && count <= maxShards && new Set(inboxes).size === count
  checkOption(isCount, `inboxes: pass 1 to ${maxShards} inboxes, each once.`)
  const { source } = at(inboxes, 0)
  const isOneSource = inboxes.every((inbox) => inbox.source === source)
  checkOption(isOneSource, 'inboxes: set the same option source for all of them.')
  const instances = new Set(inboxes.map(({ instance }) => instance))
  checkOption(
    instances.size === count,
    'inboxes: give each its own option instance, such as its number, which tells its metrics apart.',
  )
  return source
}

/** The element at a position that exists. */
function at<Element>(elements: readonly Element[], index: number): Element {
  const element = elements[index]
  if (element === undefined) throw new RangeError(`There is no shard ${index + 1}.`)
  return element
}

/**
 * Adds up the results of the drains of open shards. Reports a failed drain, and throws if all
 * failed or the caller made a mistake. After a failure, or with a closed shard, `isEmpty` is false.
 */
function sumDrained(
  drains: readonly PromiseSettledResult<Drained>[],
  count: number,
  report: (error: unknown) => void,
): Drained {
  const failed = drains.filter((drain) => drain.status === 'rejected')
  const mistake = failed.find(({ reason }) => isMistake(reason))
  if (mistake || failed.length === drains.length) throw mistake?.reason ?? failed[0]?.reason
  for (const { reason } of failed) report(reason)
  const done = drains.flatMap((drain) => (drain.status === 'fulfilled' ? drain.value : []))
  return {
    handled: done.reduce((sum, drain) => sum + drain.handled, 0),
    failed: done.reduce((sum, drain) => sum + drain.failed, 0),
    isEmpty: done.length === count && done.every((drain) => drain.isEmpty),
  }
}

function describeFailure(error: unknown, index: number, count: number): Error {
  const code = codeOf(error)
  const text = `It could not be opened and is retried: ${String(error)}`
  const described = new Error(nameShard(text, index, count), { cause: error })
  return Object.assign(described, code !== undefined && { code })
}
