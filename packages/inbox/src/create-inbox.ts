import type { DeliveryInbox, Observation } from '@feed-receiver/core'
import type { Database, Tx } from '@feed-receiver/database'
import { checkAlerts } from './alerts/check-alerts.ts'
import { listAlerts } from './alerts/list-alerts.ts'
import { acceptDelivery, quarantineDelivery } from './accept/accept-group.ts'
import { createRefusalCounts } from './accept/count-refusals.ts'
import type { Handlers } from './handle/handlers.ts'
import type { Drained, DrainOptions, WorkOptions } from './handle/handling.ts'
import { readOptions, type InboxOptions, type TransactionOptions } from './inbox-options.ts'
import { createRoof, withParts } from './inbox-parts.ts'
import { createLifecycle } from './lifecycle.ts'
import type { OpenInbox } from './open-inbox.ts'
import { entryCapsule } from './operate/capsule.ts'
import { checkHealth } from './operate/check-health.ts'
import { findActivity } from './operate/find-activity.ts'
import { findFacets } from './operate/find-facets.ts'
import { countGaps, listGaps, listStreamGaps } from './operate/gaps.ts'
import { getEntry } from './operate/get-entry.ts'
import { countEntries, listEntries } from './operate/list-entries.ts'
import { listOperations } from './operate/operations.ts'
import { listPauses, pauseInbox, resumeInbox } from './operate/pauses.ts'
import { prune } from './operate/prune.ts'
import { listRefusals } from './operate/refusals.ts'
import { replayEntries } from './operate/replay-entries.ts'
import { retryEntries } from './operate/retry-entries.ts'
import { findSecretUses } from './operate/secret-uses.ts'
import { discardQuarantined, getQuarantined } from './operate/quarantined.ts'
import { listQuarantined, releaseQuarantined } from './operate/quarantined.ts'
import { startAt, type StartOptions } from './place-on-citus.ts'
import { acceptPage } from './pull/accept-page.ts'
import { preparePage } from './pull/prepare-page.ts'
import { listStreams, noteStream, releaseStream, takeStream } from './pull/streams.ts'
import type { RunInTransaction } from './queue/queue.ts'

export type Inbox<AppTx = Tx> = ReturnType<typeof makeInbox<AppTx>>

/** What the inbox holds, as consoles and commands show it. */
export type Entries = Inbox['entries']
/** What is in quarantine: authentic deliveries that no handler may see. */
export type QuarantinedDeliveries = Inbox['quarantined']
/** How far the streams of the pull API have been read, and who reads them. */
export type Streams = Inbox['streams']
/** What one of the two ways has not brought. */
export type Gaps = Inbox['gaps']

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
) {
  const settings = readOptions(options)
  const lifecycle = createLifecycle(open)
  const { stop, whenRunning } = lifecycle
  const roof = createRoof(() => checkHealth(whenRunning))
  // Outlives a stop: what could not be written is added after the next start.
  const refusals = createRefusalCounts(settings.source)

  const inbox = {
    /** The name of the feed, which all metrics have as `feed.source`. */
    source: settings.source,
    /** Opens and migrates; safe to call again, and at once. Errors: `not_migrated`, `no_citus`. */
    start: (how?: StartOptions): Promise<void> => startAt(lifecycle, how),
    /** Refuses new deliveries, lets running handlers finish for some time, and closes. */
    stop,
    [Symbol.asyncDispose]: stop,
    accept: storing(acceptDelivery),
    quarantine: storing(quarantineDelivery),
    /** Counts the deliveries that a receiver rejects. Returns at once, and works before `start`. */
    answered: (observation: Observation): void => refusals.add(observation),
    /** Stores a page of pull, oldest first, and its cursor, both or neither. Errors: `lease_lost`. */
    acceptPage: storing(acceptPage),
    /** Optional: prepares a page without the database. Pass the same array to `acceptPage` then. */
    preparePage,
    /** Starts handling, in this process; once a start. Errors: `bad_handler`, `already_working`. */
    async work(handlers: Handlers<AppTx>, limits?: WorkOptions): Promise<void> {
      await (await whenRunning()).handling.work(handlers, limits)
    },
    /** Handles what is due and returns, for where nothing runs for long. Errors: `bad_handler`. */
    async drain(handlers: Handlers<AppTx>, limits?: DrainOptions): Promise<Drained> {
      return await (await whenRunning()).handling.drain(handlers, limits)
    },
    /** What is stored: to list, search, look into, retry and replay. */
    entries: {
      /** One page of entries, newest first. */
      list: at(listEntries),
      /** One entry by the id of its event, with its bytes and its job; null where there is none. */
      get: at(getEntry),
      /** A test file that runs the handler of an event as it ran last. Errors: `unknown_event`, … */
      capsule: at(entryCapsule),
      /** How many entries a filter finds. */
      count: at(countEntries),
      /** The providers, types and categories by which entries can be filtered. */
      facets: at(findFacets),
      /** Puts dead or skipped entries back to received, with a new job, and gives their number. */
      retry: at(retryEntries),
      /**
       * Has done and skipped entries handled again: puts them back to received, with a new job.
       * Errors: `bad_option`.
       */
      replay: at(replayEntries),
    },
    /** What is in quarantine: to list, look into, release and discard. */
    quarantined: {
      /** One page, the latest rows first. */
      list: at(listQuarantined),
      /** One row with its bytes; null where there is none. */
      get: at(getQuarantined),
      /**
       * Reads a delivery with today's parser and stores its event, with a job, as if it came now.
       * Errors: `still_unreadable`, `id_conflict`, `already_settled`, `not_quarantined`.
       */
      release: at(releaseQuarantined),
      /** Marks a row as dealt with. Errors: `already_settled`, `not_quarantined`. */
      discard: at(discardQuarantined),
    },
    /** How far the streams of the pull API have been read, and who reads them. */
    streams: {
      list: at(listStreams),
      /** Takes or keeps the lease of a stream; null while another process has it. */
      take: at(takeStream),
      /** Keeps why a stream waits, for whoever goes on with it; false where the lease is lost. */
      note: at(noteStream),
      /** Lets go of a lease. */
      release: at(releaseStream),
    },
    /** What one way has brought and the other has not. */
    gaps: {
      /** One page of what push never brought, the latest first. */
      list: at(listGaps),
      count: at(countGaps),
      /** The times of which a stream may lack events, the latest 100 first. */
      streams: at(listStreamGaps),
    },
    /**
     * Lets no worker claim events, all or those of some types, until they are resumed: in every process
     * within a second, restarts included. Deliveries are stored, and running handlers finish. Errors:
     * `already_paused`, `unknown_type`.
     */
    pause: at(pauseInbox),
    /** Lets workers claim again what was paused. Errors: `not_paused`. */
    resume: at(resumeInbox),
    /** What is paused, since when, by whom and why. */
    pauses: at(listPauses),
    /** Which deliveries were rejected, and what to do about it; those that pause the feed first. */
    refusals: at(listRefusals),
    /** Deletes the content of entries that ended long ago, and entries if asked to. Errors: `bad_option`. */
    prune: at(prune),
    /** Which secrets have signed, and whether one of them may be removed (R204). */
    secrets: at(findSecretUses),
    /** What people have done to it, such as retries, the latest first. */
    operations: at(listOperations),
    /** What came in the last hours, and what became of it. */
    activity: at(findActivity),
    /** What is wrong and was told to somebody; `createAlerts` checks by itself. */
    alerts: {
      /** The open alerts, and behind them those that closed, both the latest first. */
      list: at(listAlerts),
      /** Looks once: opens, closes and tells. Errors: `bad_option`. */
      check: at(checkAlerts),
    },
    /** How it is, for a health route; never rejects, and answers within five seconds. */
    health: roof.ownHealth,
  } satisfies DeliveryInbox & AsyncDisposable & Record<string, unknown>
  return withParts(inbox, { isOrdered: settings.isOrdered, whenRunning, roof })

  /** Loads the database and the queue only now, because they take longest to load. */
  async function open(): Promise<OpenInbox<AppTx>> {
    const { openInbox } = await import('./open-inbox.ts')
    return await openInbox({ ...settings, transactionOn, health: roof.health, refusals })
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
