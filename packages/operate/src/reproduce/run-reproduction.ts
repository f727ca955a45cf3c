import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf, isError } from '@feed-receiver/core/internal'
import { openDatabase, type Database } from '@feed-receiver/database'
import { findHandler, type EffectContext, type Handlers } from '@feed-receiver/inbox'
import type { RunInTransaction, TransactionOptions } from '@feed-receiver/inbox'
import { idempotencyKeyOf, ownTransactions } from '@feed-receiver/inbox/internal'
import { fakeEffects } from '../rehearse/fake-effects.ts'
import { readVersion, type EventVersion } from './event-version.ts'
import { moveClock } from './moved-clock.ts'

/** Fake effects, by key. Each returns the result of its effect, or throws. */
export type FakeEffects = Readonly<Record<string, (context: EffectContext) => unknown>>

/** The content of the test file from `reproduce`, and your additions. */
export interface RunReproductionOptions extends ReproductionInputs {
  /** The handlers of your app, of which the one for the type of the event runs. */
  handlers: Handlers
  /** Handlers get the inbox's own transaction. For another, pass `database` too. */
  transaction?: undefined
}

/** For handlers that use the app's own transaction, on an open database. */
export interface RunReproductionInOptions<AppTx>
  extends ReproductionInputs, TransactionOptions<AppTx> {
  /** The handlers of your app, of which the one for the type of the event runs. */
  handlers: Handlers<AppTx>
  /** An open database, to which `transaction` belongs. Rows that handlers write stay in it. */
  database: Database
}

export interface ReproductionInputs {
  /** The event to run the handler for. */
  event: ReproducedEvent
  /** The versions to handle before it, in this order. */
  before?: readonly EventVersion[]
  /** The time at which the handler runs: of `Date`, and of `now()` in an embedded database. */
  clock: Date | string
  /** Creates the tables and rows that the handlers expect. */
  prepare?: (database: Database) => unknown
  /**
   * Replaces effects that have no stored result, by key. No effect itself is run.
   * @default {} each returns undefined
   */
  effects?: FakeEffects
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

export interface ReproducedEvent extends EventVersion {
  /**
   * The number of the attempt.
   * @default 1
   */
  attempt?: number
  /**
   * Whether the run reprocesses the event.
   * @default false
   */
  reprocess?: boolean
}

export interface ReproductionRun {
  /** The keys of effects without any stored result or replacement. Each returned undefined. */
  notRun: string[]
}

/**
 * Reruns the handler of an event as it ran when the event died: after the same earlier events, at
 * the same time and with the same results of effects. Rejects with the handler's own error. Run
 * one at a time in a process, because it moves the clock of the process.
 */
export function runReproduction(options: RunReproductionOptions): Promise<ReproductionRun>
export function runReproduction<AppTx>(
  options: RunReproductionInOptions<AppTx>,
): Promise<ReproductionRun>
export async function runReproduction<AppTx>(
  options: RunReproductionOptions | RunReproductionInOptions<AppTx>,
): Promise<ReproductionRun> {
  const { transaction } = options
  if (transaction) return await run(options, options.handlers, () => transaction)
  return await run(options, options.handlers, (database) => ownTransactions(database).run)
}

async function run<AppTx>(
  inputs: ReproductionInputs,
  handlers: Handlers<AppTx>,
  createRunner: (database: Database) => RunInTransaction<AppTx>,
): Promise<ReproductionRun> {
  const { event, before = [], prepare, effects: fakes = {}, source = 'feed' } = inputs
  const { type } = readVersion(event)
  if (!findHandler(handlers, type)) {
    throw new Error(
      `There is no handler for the type ${type}. Import the module with your handlers in this file.`,
    )
  }
  const steps = before.map((version) => ({ version, time: readTime(version.at) }))
  const last = { version: event, time: readTime(inputs.clock) }
  const results = resultsOf([...before, event])
  let notRun: string[] = []

  await withDatabase(inputs.database, async (database) => {
    const runInTransaction = createRunner(database)
    const clock = moveClock()
    try {
      clock.moveTo((steps[0] ?? last).time)
      await prepare?.(database)
      for (const step of steps) await handle(step).catch(unlessUncertain(step.version))
      await handle(last, event).catch(explainTo(inputs))
    } finally {
      clock.restore()
    }

    async function handle(
      { version, time }: { version: EventVersion; time: Date },
      { attempt = 1, reprocess = false }: Partial<ReproducedEvent> = {},
    ): Promise<void> {
      clock.moveTo(time)
      const content = readVersion(version)
      const { at, via, change, revision } = version
      const receivedAt = new Date(version.receivedAt ?? at)
      const { signal } = new AbortController()
      const given = { signal, attempt, reprocess, receivedAt, via, change, revision }
      await runInTransaction(async (tx, sql) => {
        const known = results.get(content.id) ?? new Map<string, unknown>()
        const { effects, asked } = fakeEffects(
          known,
          () => sql.isBegun === true,
          (key) => {
            const fake = Object.hasOwn(fakes, key) ? fakes[key] : undefined
            const entry = { source, eventId: content.id, round: 0 }
            return fake && (() => fake({ idempotencyKey: idempotencyKeyOf(entry, key) }))
          },
        )
        await findHandler(handlers, content.type)?.(content, { ...given, tx, effects })
        // The last statement of the inbox fails if the handler has caught the error of another one.
        if (sql.isBegun !== false) await sql.executeSql('select 1', [])
        notRun = [...asked].flatMap(([key, from]) => (from === 'nowhere' ? [key] : []))
      })
    }
  })
  if (notRun.length > 0) warnOf(notRun)
  return { notRun }
}

/** Runs a function on a given database, or on an embedded one in a temporary folder. */
async function withDatabase(
  given: Database | undefined,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  if (given) return await work(given)
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-reproduction-'))
  const opened = openDatabase({ folder })
  try {
    // Before the clock moves, because the cache of templates goes by the time of their use.
    await opened.open()
    await work(opened)
  } finally {
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The results of each event's effects by key, from whichever of its versions has them. */
function resultsOf(versions: readonly EventVersion[]): Map<string, Map<string, unknown>> {
  const results = new Map<string, Map<string, unknown>>()
  for (const version of versions) {
    const { id } = readVersion(version)
    results.set(id, new Map([...(results.get(id) ?? []), ...Object.entries(version.done ?? {})]))
  }
  return results
}

function readTime(text: Date | string): Date {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time
  throw new Error(`${String(text)} is not a valid time. Use the original one, in ISO 8601.`)
}

function unlessUncertain(version: EventVersion) {
  return (error: unknown) => {
    if (version.isCertain === false) return
    const { id } = readVersion(version)
    const why = isError(error) ? error.message : String(error)
    const message = `The handler failed for ${id}, one of the events in \`before\`: ${why}. Complete \`prepare\`, or remove that event from \`before\`.`
    throw new Error(message, causeOf(error))
  }
}

/** Explains the errors that only this test can cause. Rethrows all others. */
function explainTo({ diedOf }: ReproductionInputs) {
  return (error: unknown) => {
    const isMissing = ['42P01', '3F000'].includes(codeOf(error) ?? '')
    if (!isMissing || !isError(error) || error.message === diedOf) throw error
    const message = `The database of this test lacks something that the handler uses: ${error.message}. Create it in \`prepare\`.`
    throw new Error(message, causeOf(error))
  }
}

/** The embedded database puts so much into its errors that a test runner would print pages. */
function causeOf(error: unknown): ErrorOptions {
  return codeOf(error) === undefined ? { cause: error } : {}
}

function warnOf(keys: readonly string[]): void {
  const text = `These effects were not run and returned undefined: ${keys.join(', ')}. Set their results in \`effects\`.`
  process.emitWarning(text, 'FeedReproductionWarning')
}
