import type { Database } from '@feed-receiver/database'
import { acceptDelivery, quarantineDelivery } from './accept/accept-delivery.ts'
import type { Inbox } from './inbox.ts'
import { readOptions, type InboxOptions, type TransactionOptions } from './inbox-options.ts'
import { createLifecycle } from './lifecycle.ts'
import type { OpenInbox } from './open-inbox.ts'
import { checkHealth } from './operate/check-health.ts'
import { findActivity } from './operate/find-activity.ts'
import { findFacets } from './operate/find-facets.ts'
import { countGaps, listGaps, listStreamGaps } from './operate/gaps.ts'
import { getEntry } from './operate/get-entry.ts'
import { countEntries, listEntries } from './operate/list-entries.ts'
import { getQuarantined, listQuarantined } from './operate/list-quarantined.ts'
import { listOperations } from './operate/operations.ts'
import { pruneBytes } from './operate/prune-bytes.ts'
import { retryEntries } from './operate/retry-entries.ts'
import { findSecretUses } from './operate/secret-uses.ts'
import { discardQuarantined, releaseQuarantined } from './operate/settle-quarantined.ts'
import { acceptPage } from './pull/accept-page.ts'
import { listStreams, noteStream, releaseStream, takeStream } from './pull/streams.ts'
import type { RunInTransaction } from './queue/queue.ts'

/**
 * Makes an inbox, which stores each event once and hands it to its handler. Opens nothing before
 * `start`. Throws `InboxError` `bad_option` for names that cannot stand in SQL.
 */
export function createInbox(options?: InboxOptions): Inbox
export function createInbox<AppTx>(options: InboxOptions & TransactionOptions<AppTx>): Inbox<AppTx>
export function createInbox<AppTx>(
  options: InboxOptions & Partial<TransactionOptions<AppTx>> = {},
): Inbox | Inbox<AppTx> {
  const { transaction } = options
  if (transaction) return makeInbox(options, () => transaction)
  return makeInbox(options, (database) => (run) => database.tx((tx) => run(tx, tx)))
}

function makeInbox<AppTx>(
  options: InboxOptions,
  transactionOn: (database: Database) => RunInTransaction<AppTx>,
): Inbox<AppTx> {
  const settings = readOptions(options)
  const { start, stop, whenRunning } = createLifecycle(open)
  const health = () => checkHealth(whenRunning)

  return {
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    accept: storing(acceptDelivery),
    quarantine: storing(quarantineDelivery),
    acceptPage: storing(acceptPage),
    work: async (handlers, limits) => (await whenRunning()).handling.work(handlers, limits),
    drain: async (handlers, limits) => (await whenRunning()).handling.drain(handlers, limits),
    entries: {
      list: at(listEntries),
      get: at(getEntry),
      count: at(countEntries),
      facets: at(findFacets),
      retry: at(retryEntries),
    },
    quarantined: {
      list: at(listQuarantined),
      get: at(getQuarantined),
      release: at(releaseQuarantined),
      discard: at(discardQuarantined),
    },
    streams: {
      list: at(listStreams),
      take: at(takeStream),
      note: at(noteStream),
      release: at(releaseStream),
    },
    gaps: { list: at(listGaps), count: at(countGaps), streams: at(listStreamGaps) },
    prune: at(pruneBytes),
    secrets: at(findSecretUses),
    operations: at(listOperations),
    activity: at(findActivity),
    health,
  }

  /** Loads the database and the queue only now, because they take longest to load. */
  async function open(): Promise<OpenInbox<AppTx>> {
    const { openInbox } = await import('./open-inbox.ts')
    return await openInbox({ ...settings, transactionOn, health })
  }

  /** Makes a method of a function that works on an open inbox. */
  function at<Args extends unknown[], Result>(
    run: (place: OpenInbox<AppTx>, ...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => run(await whenRunning(), ...args)
  }

  /** The same, and the health remembers whether the disk was full. */
  function storing<Args extends unknown[], Result>(
    run: (place: OpenInbox<AppTx>, ...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return at((place, ...args) => place.disk.watch(run(place, ...args)))
  }
}
