import { setTimeout as delay } from 'node:timers/promises'
import type { EventDelivery } from '@feed-receiver/core'
import { createGroupCommit, openDatabase, type Database } from '@feed-receiver/database'
import { metrics, type BatchObservableResult } from '@opentelemetry/api'
import { acceptGroupsOn, type Acceptance } from './accept/accept-group.ts'
import type { RefusalCounts } from './accept/count-refusals.ts'
import { isItemsFault, watchDisk } from './accept/faults.ts'
import { tablesIn } from './entry/tables.ts'
import { createHandling } from './handle/handling.ts'
import { isDatabase, type InboxSettings } from './inbox-options.ts'
import { installTables } from './inbox-sql.ts'
import type { InboxHealth } from './operate/check-health.ts'
import type { RunInTransaction } from './queue/queue.ts'
import { openQueue } from './queue/open-queue.ts'
import { scope } from './instruments.ts'

interface OpenInboxOptions<AppTx> extends InboxSettings {
  transactionOn: (database: Database) => RunInTransaction<AppTx>
  /** For the metrics. */
  health: () => Promise<InboxHealth>
  refusals: RefusalCounts
}

/** What an inbox holds while it runs. */
export type OpenInbox<AppTx> = Awaited<ReturnType<typeof openInbox<AppTx>>>

/** How much may share one statement, and how many of these there may be at once. */
const groups = { maxGroupSize: 100, maxGroupBytes: 8 * 1_048_576, maxGroups: 2 }

const closeTimeoutMs = 2_000

/** Opens and migrates the database, and creates what the queue needs. */
export async function openInbox<AppTx>(options: OpenInboxOptions<AppTx>) {
  const { database: target } = options
  const isOurs = !isDatabase(target)
  const database = isDatabase(target) ? target : openDatabase(target)
  try {
    return await openOn(database, isOurs, options)
  } catch (error) {
    if (isOurs) await database.close()
    throw error
  }
}

async function openOn<AppTx>(
  database: Database,
  isOurs: boolean,
  options: OpenInboxOptions<AppTx>,
) {
  const { source, schema, isOrdered, priority, migrate, stopTimeoutMs, transactionOn, health } =
    options
  const onError = reportTo(options.onError)
  await installTables(database, schema, migrate)
  const queue = await openQueue({
    // Of another name, so that an inbox may become ordered: the sweep moves what waits.
    name: isOrdered ? `${source}_ordered` : source,
    isOrdered,
    priorities: priority,
    schema: `${schema}_queue`,
    boss: database.bossOptions(),
    migrate,
    onError,
  })
  const place = { database, tables: tablesIn(schema), source, queue }
  const acceptGroup = acceptGroupsOn(place)
  const accepting = createGroupCommit<EventDelivery, Acceptance>(
    (deliveries) => acceptGroup(database, deliveries),
    {
      ...groups,
      // Two groups at once may commit in either order.
      ...(isOrdered && { maxGroups: 1 }),
      bytesOf: ({ body }) => body.length,
      isItemsFault,
    },
  )
  const runInTransaction = transactionOn(database)
  const handling = createHandling({ ...place, runInTransaction, onError })
  const stopObserving = observeHealth(source, health)
  const stopCounting = options.refusals.writeTo(place, onError)
  return {
    ...place,
    /** Lets deliveries that come at once share a commit. */
    accepting,
    handling,
    disk: watchDisk(),
    /** Waits for deliveries and for running handlers, for a limited time, and closes. */
    async close() {
      stopObserving()
      await accepting.settle()
      await handling.stop(stopTimeoutMs)
      await stopCounting()
      await queue.stop()
      // A handler that was given up may still hold a connection, and would keep it open for ever.
      const patience = delay(closeTimeoutMs, undefined, { ref: false })
      if (isOurs) await Promise.race([database.close(), patience])
    },
  }
}

/** Shows backlog and gaps as gauges, until the function that it gives is called. */
function observeHealth(source: string, health: () => Promise<InboxHealth>): () => void {
  const meter = metrics.getMeter(scope)
  const backlogs = meter.createObservableGauge('feed_receiver.inbox.backlog', {
    description: 'Jobs that wait and that run, counted up to 1,000.',
  })
  const gapped = meter.createObservableGauge('feed_receiver.inbox.gaps', {
    description: 'Events that only pull brought, and those that push has missed, up to 1,000.',
  })
  const gauges = [backlogs, gapped]
  const observe = async (result: BatchObservableResult) => {
    const { backlog, gaps } = await health()
    const attributes = { 'feed.source': source }
    if (backlog) {
      result.observe(backlogs, backlog.waiting.count, { ...attributes, 'feed.state': 'waiting' })
      result.observe(backlogs, backlog.running.count, { ...attributes, 'feed.state': 'running' })
    }
    if (gaps) {
      result.observe(gapped, gaps.missed.count, { ...attributes, 'feed.kind': 'missed' })
      result.observe(gapped, gaps.pullOnly.count, { ...attributes, 'feed.kind': 'pull_only' })
    }
  }
  meter.addBatchObservableCallback(observe, gauges)
  return () => meter.removeBatchObservableCallback(observe, gauges)
}

/**
 * Makes a report of errors that never throws: whoever reports is in the middle of something, and a
 * rejection that nobody awaits would end the process.
 */
export function reportTo(onError: (error: unknown) => unknown = warn): (error: unknown) => void {
  const report = async (error: unknown) => onError(error)
  return (error) => void report(error).catch(() => warn(error))
}

function warn(error: unknown): void {
  process.emitWarning(String(error), 'FeedInboxWarning')
}
