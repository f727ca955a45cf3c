import { acceptDelivery } from './accept/accept.ts'
import { quarantineDelivery } from './accept/quarantine.ts'
import { createRejectionCounts } from './accept/count-rejections.ts'
import { addExtension, extensionPoint, type Extensions } from './extension.ts'
import type { Step } from './failure-log.ts'
import { appTransactions, outsideHandler, ownTransactions } from './handle/transactions.ts'
import { readOptions, type InboxOptions, type TransactionOptions } from './options.ts'
import type { Inbox } from './inbox.ts'
import { createLifecycle } from './lifecycle.ts'
import type { OpenInbox, OpenTransactions } from './open.ts'
import { checkHealth, type HealthOptions } from './health/health.ts'
import { findActivity } from './admin/find-activity.ts'
import { findFacets } from './admin/find-facets.ts'
import { countGaps, listGaps, listStreamGaps } from './admin/gaps.ts'
import { getEntry } from './admin/get-entry.ts'
import { countEntries, listEntries } from './admin/list-entries.ts'
import { listErrors } from './admin/list-errors.ts'
import { listOperations } from './admin/operations.ts'
import { listPauses, pauseInbox, resumeInbox } from './admin/pauses.ts'
import { prune } from './admin/prune.ts'
import { listRejections } from './admin/rejections.ts'
import { reprocessEntries } from './admin/reprocess-entries.ts'
import { retryEntries } from './admin/retry-entries.ts'
import { findSecretUses } from './admin/secret-uses.ts'
import { discardQuarantined, getQuarantined } from './admin/quarantined.ts'
import { listQuarantined, releaseQuarantined } from './admin/quarantined.ts'
import { acceptPage } from './pull/accept-page.ts'
import { listStreams, noteStream, releaseStream, takeStream } from './pull/streams.ts'

/**
 * Creates an inbox, which stores each event once and passes it to its handler. Opens nothing before
 * `start`. Throws `InboxError` `bad_option` for an invalid option.
 */
export function createInbox(options?: InboxOptions): Inbox
export function createInbox<AppTx>(options: InboxOptions & TransactionOptions<AppTx>): Inbox<AppTx>
export function createInbox<AppTx>(
  options: InboxOptions & Partial<TransactionOptions<AppTx>> = {},
): Inbox | Inbox<AppTx> {
  const { transaction } = options
  if (transaction) return makeInbox(options, appTransactions(transaction))
  return makeInbox(options, ownTransactions)
}

function makeInbox<AppTx>(
  options: InboxOptions,
  openTransactions: OpenTransactions<AppTx>,
): Inbox<AppTx> {
  const settings = readOptions(options)
  const lifecycle = createLifecycle(open)
  const { start, stop, whenRunning } = lifecycle
  const health = (how?: HealthOptions) => checkHealth(whenRunning, how)
  // Both outlive a stop: counts that could not be written are added after the next start.
  const rejections = createRejectionCounts(settings.source)
  const extensions: Extensions = new Map()

  const inbox: Inbox<AppTx> = {
    source: settings.source,
    instance: settings.instance,
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    accept: watched('accept', acceptDelivery),
    quarantine: watched('quarantine', quarantineDelivery),
    answered: (observation) => rejections.add(observation),
    acceptPage: watched('accept_page', acceptPage),
    work: at(({ worker }, ...given) => worker.work(...given)),
    drain: at(({ worker }, ...given) => worker.drain(...given)),
    entries: {
      list: at(listEntries),
      get: at(getEntry),
      count: at(countEntries),
      facets: at(findFacets),
      errors: at(listErrors),
      retry: at(retryEntries),
      reprocess: at(reprocessEntries),
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
    pause: at(pauseInbox),
    resume: at(resumeInbox),
    pauses: at(listPauses),
    rejections: at(listRejections),
    prune: at(prune),
    secrets: at(findSecretUses),
    operations: at(listOperations),
    activity: at(findActivity),
    health,
    [extensionPoint]: {
      add: (extension) => addExtension(extensions, extension),
      run: (task) =>
        at(async (context) => {
          await context.extensions.ready()
          return await task(context)
        })(),
    },
  }
  return inbox

  /** Loads the database and the queue lazily, because they take longest to load. */
  async function open(): Promise<OpenInbox<AppTx>> {
    const { openInbox } = await import('./open.ts')
    return await openInbox({
      ...settings,
      openTransactions,
      health,
      rejections,
      extensions,
    })
  }

  /** Turns a function of an open inbox into a method. */
  function at<Args extends unknown[], Result>(
    run: (context: OpenInbox<AppTx>, ...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return async (...args) =>
      outsideHandler(await whenRunning(), (context) => run(context, ...args))
  }

  /** Like `at`, and the health remembers its failures. */
  function watched<Args extends unknown[], Result>(
    step: Step,
    run: (context: OpenInbox<AppTx>, ...args: Args) => Promise<Result>,
  ): (...args: Args) => Promise<Result> {
    return at((context, ...args) => context.failures.watch(step, run(context, ...args)))
  }
}
