import type { DeliveryInbox, Observation } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { checkAlerts } from './alerts/check-alerts.ts'
import { listAlerts } from './alerts/list-alerts.ts'
import { auditMonth } from './audit/audit-month.ts'
import { acceptDelivery, quarantineDelivery } from './accept/accept-group.ts'
import { createRefusalCounts } from './accept/count-refusals.ts'
import type { Handlers } from './handle/handlers.ts'
import type { Drained, DrainOptions, WorkOptions } from './handle/handling.ts'
import { appTransaction, outsideHandler, ownTransaction } from './handle/open-transaction.ts'
import { readOptions, type InboxOptions, type TransactionOptions } from './inbox-options.ts'
import { createRoof, withParts } from './inbox-parts.ts'
import { createLifecycle } from './lifecycle.ts'
import type { OpenInbox, TransactionOn } from './open-inbox.ts'
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
import type { Work } from './watch-work.ts'

export type Inbox<AppTx = Tx> = ReturnType<typeof makeInbox<AppTx>>

/** The stored entries, as consoles and commands show them. */
export type Entries = Inbox['entries']
/** Quarantine: authentic deliveries that no handler may see. */
export type QuarantinedDeliveries = Inbox['quarantined']
/** How far each stream of the pull API has been read, and which process holds its lease. */
export type Streams = Inbox['streams']
/** Events that push or pull has missed. */
export type Gaps = Inbox['gaps']

/**
 * Creates an inbox, which stores each event once and passes it to its handler. Opens nothing before
 * `start`. Throws `InboxError` `bad_option` for names that SQL does not allow.
 */
export function createInbox(options?: InboxOptions): Inbox
export function createInbox<AppTx>(options: InboxOptions & TransactionOptions<AppTx>): Inbox<AppTx>
export function createInbox<AppTx>(
  options: InboxOptions & Partial<TransactionOptions<AppTx>> = {},
): Inbox | Inbox<AppTx> {
  const { transaction } = options
  if (transaction) return makeInbox(options, appTransaction(transaction))
  return makeInbox(options, ownTransaction)
}

function makeInbox<AppTx>(options: InboxOptions, transactionOn: TransactionOn<AppTx>) {
  const settings = readOptions(options)
  const lifecycle = createLifecycle(open)
  const { stop, whenRunning } = lifecycle
  const roof = createRoof((how) => checkHealth(whenRunning, how))
  // Outlives a stop: counts that could not be written are added after the next start.
  const refusals = createRefusalCounts(settings.source)

  const inbox = {
    /** The name of the feed, which all metrics have as `feed.source`. */
    source: settings.source,
    /** Opens and migrates; safe to repeat. Errors: `not_migrated`, `unfit_database`, … */
    start: (how?: StartOptions): Promise<void> => startAt(lifecycle, how),
    /** Rejects new deliveries, waits up to `stopTimeoutMs` for running handlers, and closes. */
    stop,
    [Symbol.asyncDispose]: stop,
    accept: watched('accept', acceptDelivery),
    quarantine: watched('quarantine', quarantineDelivery),
    /** Counts the deliveries that a receiver rejects. Returns immediately. Works before `start`. */
    answered: (observation: Observation): void => refusals.add(observation),
    /** Stores a page, oldest first, with its cursor in one transaction. Errors: `lease_lost`. */
    acceptPage: watched('accept_page', acceptPage),
    /** Optional: prepares a page without the database. Then pass the same array to `acceptPage`. */
    preparePage,
    /** Starts this process's worker, once per start. Errors: `bad_handler`, `already_working`. */
    async work(handlers: Handlers<AppTx>, limits?: WorkOptions): Promise<void> {
      await at(({ handling }) => handling.work(handlers, limits))()
    },
    /** Handles due entries and returns: for serverless platforms. Errors: `bad_handler`. */
    async drain(handlers: Handlers<AppTx>, limits?: DrainOptions): Promise<Drained> {
      return await at(({ handling }) => handling.drain(handlers, limits))()
    },
    /** The stored entries: list, search, inspect, retry and replay them. */
    entries: {
      /** Lists one page of entries, newest first. */
      list: at(listEntries),
      /** One entry by the id of its event, with its raw body and its job; null if there is none. */
      get: at(getEntry),
      /** A test file that repeats the handler's last run of an event. Errors: `unknown_event`, … */
      capsule: at(entryCapsule),
      /** Counts the entries that match a filter. */
      count: at(countEntries),
      /** The providers, types and categories to filter entries by. */
      facets: at(findFacets),
      /** Requeues dead or skipped entries with new jobs, and returns their number. */
      retry: at(retryEntries),
      /** Requeues done and skipped entries, to be handled again. Errors: `bad_option`. */
      replay: at(replayEntries),
    },
    /** Quarantine: list, inspect, release and discard deliveries. */
    quarantined: {
      /** Lists one page, latest rows first. */
      list: at(listQuarantined),
      /** One row with its raw body; null if there is none. */
      get: at(getQuarantined),
      /**
       * Parses a delivery with the current parser and stores its event, with a job, as if received
       * now. Errors: `still_unreadable`, `id_conflict`, `already_settled`, `not_quarantined`.
       */
      release: at(releaseQuarantined),
      /** Marks a row as discarded. Errors: `already_settled`, `not_quarantined`. */
      discard: at(discardQuarantined),
    },
    /** How far each stream of the pull API has been read, and which process holds its lease. */
    streams: {
      list: at(listStreams),
      /** Takes or renews the lease of a stream; null while another process holds it. */
      take: at(takeStream),
      /** Stores why a stream waits, for its next lease holder; false if the lease is lost. */
      note: at(noteStream),
      /** Releases a lease. */
      release: at(releaseStream),
    },
    /** Events that pull returned and push did not deliver, and streams that lost their cursor. */
    gaps: {
      /** Lists one page of events that push missed, latest first. */
      list: at(listGaps),
      count: at(countGaps),
      /** The periods in which a stream may have missed events: the latest 100, latest first. */
      streams: at(listStreamGaps),
    },
    /**
     * Stops workers from claiming events, of all or some types, until you resume them. Takes effect
     * in every process within a second, and survives restarts. Deliveries are still stored, and
     * running handlers finish. Errors: `already_paused`, `unknown_type`.
     */
    pause: at(pauseInbox),
    /** Lets workers claim paused events again. Errors: `not_paused`. */
    resume: at(resumeInbox),
    /** The pauses in force: since when, by whom and why. */
    pauses: at(listPauses),
    /** The rejected deliveries by reason, and how to fix each; those that pause the feed first. */
    refusals: at(listRefusals),
    /** Deletes old content of ended entries, and old entries if configured. Errors: `bad_option`. */
    prune: at(prune),
    /** Reports on the events of a month, with a hash chain. Errors: `bad_option`, `not_sealed`. */
    audit: at(auditMonth),
    /** Which secrets have signed, and whether one of them may be removed (R204). */
    secrets: at(findSecretUses),
    /** The operations by people, such as retries, latest first. */
    operations: at(listOperations),
    /** The events of the last hours by time and state. */
    activity: at(findActivity),
    /** The problems that alerts have reported. `createAlerts` checks at intervals. */
    alerts: {
      /** Lists the open alerts, then the closed ones, each latest first. */
      list: at(listAlerts),
      /** Checks once: opens and closes alerts, and sends notifications. Errors: `bad_option`. */
      check: at(checkAlerts),
    },
    /** The health of the inbox, for a health route. Never rejects; answers within five seconds. */
    health: roof.ownHealth,
  } satisfies DeliveryInbox & AsyncDisposable & Record<string, unknown>
  return withParts(inbox, { isOrdered: settings.isOrdered, whenRunning, roof })

  /** Loads the database and the queue lazily, because they take longest to load. */
  async function open(): Promise<OpenInbox<AppTx>> {
    const { openInbox } = await import('./open-inbox.ts')
    return await openInbox({ ...settings, transactionOn, health: roof.health, refusals })
  }

  /** Turns a function of an open inbox into a method. */
  function at<Args extends unknown[], Result>(
    run: (context: OpenInbox<AppTx>, ...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) => outsideHandler(await whenRunning(), (context) => run(context, ...args))
  }

  /** Like `at`, and the health remembers its failures. */
  function watched<Args extends unknown[], Result>(
    work: Work,
    run: (context: OpenInbox<AppTx>, ...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return at((context, ...args) => context.work.watch(work, run(context, ...args)))
  }
}
