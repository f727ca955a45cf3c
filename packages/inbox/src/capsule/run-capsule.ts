import { isError } from '@feed-receiver/core'
import type { Database } from '@feed-receiver/database'
import { codeOf, fill } from '../errors.ts'
import { findEntries, createRunHandler } from '../handle/attempt.ts'
import { indexHandlers, type Handlers } from '../handle/handlers.ts'
import { appTransaction, ownTransaction } from '../handle/transactions.ts'
import type { TransactionOptions } from '../options.ts'
import type { TransactionOn } from '../open.ts'
import type { InboxContext } from '../context.ts'
import { watchWork } from '../watch-work.ts'
import { withContext } from './capsule-context.ts'
import json from './capsule-errors.json' with { type: 'json' }
import { moveClock } from './moved-clock.ts'
import { putVersion, readContent, type CapsuleVersion } from './put-version.ts'
import { withStandIns, type StandIns } from './stand-in-effects.ts'

/** The content of a capsule from `inbox.entries.capsule`, and your additions. */
export interface RunCapsuleOptions extends CapsuleFacts {
  handlers: Handlers
  transaction?: undefined
}

/** For handlers that use the app's own transaction, on an open database. */
export interface RunCapsuleInOptions<AppTx> extends CapsuleFacts, TransactionOptions<AppTx> {
  handlers: Handlers<AppTx>
  database: Database
}

export interface CapsuleFacts {
  /** The event to run the handler for. */
  event: CapsuleEvent
  /** The versions to handle before it, in this order. */
  before?: readonly CapsuleVersion[]
  /** The time at which the handler runs: of `Date`, and of `now()` in an embedded database. */
  clock: Date | string
  /** Creates the tables and rows that the handlers expect. */
  prepare?: (database: Database) => unknown
  /**
   * Replaces effects that have no stored result, by key. No effect itself is run.
   * @default {} each returns undefined
   */
  effects?: StandIns
  /** The message of the error that the event died of, to tell it from an error of this test. */
  diedOf?: string
  /**
   * The name of the feed. Idempotency keys begin with it.
   * @default 'feed'
   */
  source?: string
  /**
   * An open database to run on, such as a PostgreSQL for tests. Rows that handlers write stay in
   * it.
   * @default an embedded one in a temporary folder
   */
  database?: Database | undefined
}

export interface CapsuleEvent extends CapsuleVersion {
  /**
   * The number of the attempt.
   * @default 1
   */
  attempt?: number
  /**
   * Whether the run is a replay.
   * @default false
   */
  replay?: boolean
}

export interface CapsuleRun {
  /** The keys of effects without any stored result or replacement. Each returned undefined. */
  notRun: string[]
}

/**
 * Reruns the handler of an event as it ran when the event died: after the same earlier events, at
 * the same time and with the same results of effects. Rejects with the handler's own error. Run
 * one at a time in a process, because it moves the clock of the process.
 */
export function runCapsule(options: RunCapsuleOptions): Promise<CapsuleRun>
export function runCapsule<AppTx>(options: RunCapsuleInOptions<AppTx>): Promise<CapsuleRun>
export async function runCapsule<AppTx>(
  options: RunCapsuleOptions | RunCapsuleInOptions<AppTx>,
): Promise<CapsuleRun> {
  const { transaction } = options
  if (transaction) return await run(options, options.handlers, appTransaction(transaction))
  return await run(options, options.handlers, ownTransaction)
}

async function run<AppTx>(
  facts: CapsuleFacts,
  handlers: Handlers<AppTx>,
  transactionOn: TransactionOn<AppTx>,
): Promise<CapsuleRun> {
  const { event, before = [], prepare, effects = {}, source = 'feed' } = facts
  const { type } = readContent(event).event
  if (!indexHandlers(handlers)(type)) throw new Error(fill(json.no_handler, { type }))
  const steps = before.map((version) => ({ version, time: readTime(version.at) }))
  const last = { version: event, time: readTime(facts.clock) }
  const ledger = ledgerOf([...before, event])
  const notRun = new Set<string>()

  await withContext(facts.database, source, async (context) => {
    const handling = {
      ...context,
      runInTransaction: await transactionOn(context.database, context.tables),
      onError: () => {},
      work: watchWork(),
    }
    const runHandler = createRunHandler(handling, withStandIns(handlers, effects, notRun))
    const clock = moveClock()
    try {
      clock.moveTo((steps[0] ?? last).time)
      await prepare?.(context.database)
      for (const step of steps) await handle(step).catch(unlessUncertain(step.version))
      notRun.clear()
      await handle(last, event).catch(explainTo(facts))
    } finally {
      clock.restore()
    }

    async function handle(
      { version, time }: { version: CapsuleVersion; time: Date },
      { attempt = 1, replay = false }: Partial<CapsuleEvent> = {},
    ): Promise<void> {
      clock.moveTo(time)
      const content = readContent(version)
      const done = ledger.get(content.event.id) ?? {}
      const handled = { done, attempts: attempt - 1, isReplay: replay }
      const id = await putVersion(context, version, content, handled)
      const claimed = await claim(context, id)
      const { signal } = new AbortController()
      await runHandler(...claimed, { signal, onReturn: () => {}, claimedAt: performance.now() })
    }
  })
  if (notRun.size > 0) warnOf(notRun)
  return { notRun: [...notRun] }
}

async function claim(context: InboxContext, id: number) {
  const [job] = await context.queue.claim(1)
  const entry = (await findEntries(context, [id])).get(id)
  if (job?.data.entryId === id && entry) return [job, entry] as const
  throw new Error(fill(json.not_claimed, { id }))
}

/** The results of each event's effects, from whichever of its versions has them. */
function ledgerOf(versions: readonly CapsuleVersion[]): Map<string, Record<string, unknown>> {
  const ledger = new Map<string, Record<string, unknown>>()
  for (const version of versions) {
    const { id } = readContent(version).event
    ledger.set(id, { ...ledger.get(id), ...version.done })
  }
  return ledger
}

function readTime(text: Date | string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw new Error(fill(json.bad_time, { text: String(text) }))
}

function unlessUncertain(version: CapsuleVersion) {
  return (error: unknown) => {
    if (version.isCertain === false) return
    const { id } = readContent(version).event
    const why = isError(error) ? error.message : String(error)
    throw new Error(fill(json.before_failed, { id, why }), causeOf(error))
  }
}

/** Explains the errors that only this test can cause. Rethrows all others. */
function explainTo({ diedOf }: CapsuleFacts) {
  return (error: unknown) => {
    const isMissing = ['42P01', '3F000'].includes(codeOf(error) ?? '')
    if (!isMissing || !isError(error) || error.message === diedOf) throw error
    throw new Error(fill(json.no_table, { why: error.message }), causeOf(error))
  }
}

/** The embedded database puts so much into its errors that a test runner would print pages. */
function causeOf(error: unknown): ErrorOptions {
  return codeOf(error) === undefined ? { cause: error } : {}
}

function warnOf(keys: ReadonlySet<string>): void {
  process.emitWarning(fill(json.not_run, { keys: [...keys].join(', ') }), 'FeedCapsuleWarning')
}
