import type { Inbox } from '../inbox.ts'
import { checkOption, codeOf, InboxError } from '../errors.ts'
import { partsOf } from '../inbox-parts.ts'
import type { InboxHealth } from '../admin/health.ts'
import { reportTo } from '../report-to.ts'
import { sayOfShard, type Shard, type Shards } from './ask-shards.ts'
import { checkShard } from './check-shard.ts'
import { createChoice, maxShards, type PreviousShards } from './choose-shard.ts'
import { createShardLifecycle } from './shard-lifecycle.ts'

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
 * Reads the options of a sharded inbox, and creates the lifecycle of its shards. Throws
 * `bad_option`.
 */
export function openRoof<AppTx>(inboxes: readonly Inbox<AppTx>[], options: ShardOptions) {
  const count = inboxes.length
  const isCount = count <= maxShards && new Set(inboxes).size === count
  checkOption(isCount, `inboxes: pass up to ${maxShards} inboxes, each once.`)
  const parts = inboxes.flatMap((inbox) => partsOf(inbox) ?? [])
  const isOurs = parts.length === count
  checkOption(isOurs, 'inboxes: pass the objects that createInbox returned, not copies.')
  const isOrdered = parts[0]?.isOrdered ?? false
  const isAgreed = parts.every((one) => one.isOrdered === isOrdered)
  checkOption(isAgreed, 'inboxes: set the same option ordered for all of them.')
  const source = inboxes[0]?.source ?? ''
  const isOneSource = inboxes.every((inbox) => inbox.source === source)
  checkOption(isOneSource, 'inboxes: set the same option source for all of them.')

  const report = reportTo(options.onError)
  const choice = createChoice(count, options.previous, isOrdered)
  const lifecycle = createShardLifecycle({
    inboxes,
    async check(shard) {
      const inbox = inboxes[shard]
      const warning = inbox && (await checkShard(inbox, choice, shard, count))
      if (warning) report(warning)
    },
    report: (error, shard) => report(describeFailure(error, shard, count)),
  })
  const all = parts.flatMap((own, index): Shard<AppTx>[] => {
    const inbox = inboxes[index]
    const whenOpen = () => lifecycle.whenOpen(index)
    const context = async () => {
      await whenOpen()
      return await own.whenRunning()
    }
    return inbox ? [{ index, inbox, whenOpen, context }] : []
  })
  const [first] = all
  if (!first) throw new InboxError('bad_option', 'inboxes: pass one or more.')
  const shards: Shards<AppTx> = { all, choice, isOrdered }
  return { first, source, shards, lifecycle, report, standUnder }

  /** Makes all shards measure the same health, which is queried once at a time. */
  function standUnder(health: () => Promise<InboxHealth>): void {
    let looking: Promise<InboxHealth> | undefined
    const shared = () => (looking ??= health().finally(() => (looking = undefined)))
    for (const { roof } of parts) roof.standUnder(shared)
  }
}

function describeFailure(error: unknown, shard: number, count: number): Error {
  const code = codeOf(error)
  const text = `It could not be opened and is retried: ${String(error)}`
  const described = new Error(sayOfShard(text, shard, count), { cause: error })
  return Object.assign(described, code !== undefined && { code })
}
