import type {
  EventDelivery,
  Observation,
  Quarantined,
  UnreadableDelivery,
} from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { auditStores, type AuditOptions, type AuditReport } from '../audit/audit-month.ts'
import type { Acceptance } from '../accept/accept-group.ts'
import { extensionPoint } from '../extension.ts'
import type { Inbox } from '../inbox.ts'
import type { Handlers } from '../handle/handlers.ts'
import type { Drained, DrainOptions } from '../handle/worker.ts'
import type { HealthOptions } from '../admin/health.ts'
import type { Activity, ActivityOptions } from '../admin/find-activity.ts'
import type { Pruned, PruneOptions } from '../admin/prune.ts'
import type { RefusalRow, RefusalsOptions } from '../admin/refusals.ts'
import type { SecretsOptions, SecretUse } from '../admin/secret-uses.ts'
import type { StreamNote, StreamRow } from '../pull/streams.ts'
import { askAll, askSome, type Shard } from './ask-shards.ts'
import { mergeActivity, mergeRefusals, mergeSecrets, sumPruned } from './merge-answers.ts'
import { mergeHealth } from './merge-health.ts'
import { openRoof, type ShardOptions } from './open-roof.ts'
import { createShardAlerts } from './shard-alerts.ts'
import { createShardEntries } from './shard-entries.ts'
import { createShardPauses } from './shard-pauses.ts'
import { createShardPull } from './shard-pull.ts'
import { createShardQuarantine, listShardOperations } from './shard-quarantine.ts'
import { sumDrained } from './sum-drained.ts'

/**
 * Combines several inboxes, each on its own PostgreSQL or in its own schema, into one inbox with
 * the same methods, for feeds that outgrow one PostgreSQL. Each event belongs to one shard, by its
 * id, or by its subject in ordered inboxes. If a shard is down, deliveries to it reject, and the
 * others continue. Lists and counts of stored entries, and changes, need all shards
 * (`shard_failed`). Activity, operations, rejections and alerts cover the shards that answer, as
 * `health` says. `concurrency` and `limits` of `work` and `drain` apply to each shard. Throws
 * `InboxError` `bad_option`.
 *
 * List the inboxes in the same order in every process, new ones at the end, with `previous`.
 */
export function shardInbox<AppTx = Tx>(
  inboxes: readonly Inbox<AppTx>[],
  options: ShardOptions = {},
): Inbox<AppTx> {
  const { first, source, shards, lifecycle, report, standUnder } = openRoof(inboxes, options)
  const pull = createShardPull(shards, first)
  const pauses = createShardPauses(shards)
  const { start, stop, work, isOpen, failureOf } = lifecycle
  const ofShards = { countGaps: pull.countGaps, failureOf }
  const health = (how?: HealthOptions) => mergeHealth(shards, ofShards, how)
  standUnder(health)
  const ofFirst = async () => {
    await first.whenOpen()
    return first.inbox.streams
  }

  return {
    source,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    accept: (delivery: EventDelivery): Promise<Acceptance> =>
      inShard(shards.choice.ofEvent(delivery.event), ({ inbox }) => inbox.accept(delivery)),
    quarantine: (delivery: UnreadableDelivery, reason: Quarantined): Promise<void> =>
      inShard(shards.choice.ofUnreadable(delivery.eventId, delivery.body), ({ inbox }) =>
        inbox.quarantine(delivery, reason),
      ),
    answered(observation: Observation): void {
      const counting = shards.all.find(({ index }) => isOpen(index)) ?? first
      counting.inbox.answered(observation)
    },
    acceptPage: pull.acceptPage,
    // Does nothing, because each inbox gets its part of a page as a new array.
    preparePage: () => {},
    work,
    async drain(handlers: Handlers<AppTx>, limits?: DrainOptions): Promise<Drained> {
      const open = await lifecycle.openShards()
      const drains = open.map(async (index) => inboxes[index]?.drain(handlers, limits))
      return sumDrained(await Promise.allSettled(drains), inboxes.length, report)
    },
    entries: createShardEntries(shards),
    quarantined: createShardQuarantine(shards),
    streams: {
      list: async (): Promise<StreamRow[]> => (await ofFirst()).list(),
      take: pull.take,
      note: async (stream: string, holder: string, note: StreamNote): Promise<boolean> =>
        (await ofFirst()).note(stream, holder, note),
      release: async (stream: string, holder: string): Promise<void> =>
        (await ofFirst()).release(stream, holder),
    },
    gaps: { list: pull.listGaps, count: pull.countGaps, streams: pull.listStreamGaps },
    pause: pauses.pause,
    resume: pauses.resume,
    pauses: pauses.list,
    refusals: async (asked?: RefusalsOptions): Promise<RefusalRow[]> =>
      mergeRefusals(await askSome(shards, ({ inbox }) => inbox.refusals(asked))),
    prune: async (asked?: PruneOptions): Promise<Pruned> =>
      sumPruned(await askAll(shards, ({ inbox }) => inbox.prune(asked))),
    audit: (asked?: AuditOptions): Promise<AuditReport> =>
      auditStores((ask) => askAll(shards, async ({ context }) => ask(await context())), asked),
    secrets: async (asked?: SecretsOptions): Promise<SecretUse[]> =>
      mergeSecrets(await askAll(shards, ({ inbox }) => inbox.secrets(asked))),
    operations: (asked) => listShardOperations(shards, asked),
    activity: async (asked?: ActivityOptions): Promise<Activity> =>
      mergeActivity(await askSome(shards, ({ inbox }) => inbox.activity(asked)), inboxes.length),
    alerts: createShardAlerts(shards),
    health,
    [extensionPoint]: first.inbox[extensionPoint],
  }

  async function inShard<Result>(
    index: number,
    run: (shard: Shard<AppTx>) => Promise<Result>,
  ): Promise<Result> {
    const shard = shards.all[index] ?? first
    await shard.whenOpen()
    return await run(shard)
  }
}
