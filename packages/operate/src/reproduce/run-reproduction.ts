import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf, isError } from '@feed-receiver/core/internal'
import { openDatabase, type Database } from '@feed-receiver/database'
import {
  createInbox,
  findHandler,
  type DeadEntry,
  type EffectContext,
  type Effects,
  type Handlers,
  type Inbox,
  type InboxOptions,
  type TransactionOptions,
} from '@feed-receiver/inbox'
import { withContext, type InboxContext } from '@feed-receiver/inbox/extend'
import { moveClock } from './moved-clock.ts'
import { endVersion, putVersion, readContent, type EventVersion } from './put-version.ts'

/** Fake effects, by key. Each returns the result of its effect, or throws. */
export type FakeEffects = Readonly<Record<string, (context: EffectContext) => unknown>>

/** The content of the test file from `reproduce`, and your additions. */
export interface RunReproductionOptions extends ReproductionInputs {
  handlers: Handlers
  transaction?: undefined
}

/** For handlers that use the app's own transaction, on an open database. */
export interface RunReproductionInOptions<AppTx>
  extends ReproductionInputs, TransactionOptions<AppTx> {
  handlers: Handlers<AppTx>
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
  const { transaction, database } = options
  if (!transaction) return await run(options, options.handlers, createInbox)
  return await run(options, options.handlers, (names) =>
    createInbox({ ...names, database, transaction }),
  )
}

async function run<AppTx>(
  inputs: ReproductionInputs,
  handlers: Handlers<AppTx>,
  create: CreateInbox<AppTx>,
): Promise<ReproductionRun> {
  const { event, before = [], prepare, effects = {}, source = 'feed' } = inputs
  const { type } = readContent(event).event
  if (!findHandler(handlers, type)) {
    throw new Error(
      `There is no handler for the type ${type}. Import the module with your handlers in this file.`,
    )
  }
  const steps = before.map((version) => ({ version, time: readTime(version.at) }))
  const last = { version: event, time: readTime(inputs.clock) }
  const results = resultsOf([...before, event])
  const notRun = new Set<string>()
  const fakes = withFakeEffects(handlers, effects, notRun)

  await withInbox(inputs.database, source, create, async (inbox, context) => {
    const clock = moveClock()
    try {
      clock.moveTo((steps[0] ?? last).time)
      await prepare?.(context.database)
      for (const step of steps) await handle(step).catch(unlessUncertain(step.version))
      notRun.clear()
      await handle(last, event).catch(explainTo(inputs))
    } finally {
      clock.restore()
    }

    async function handle(
      { version, time }: { version: EventVersion; time: Date },
      { attempt = 1, reprocess = false }: Partial<ReproducedEvent> = {},
    ): Promise<void> {
      clock.moveTo(time)
      const content = readContent(version)
      const done = results.get(content.event.id) ?? {}
      const handled = { done, attempts: attempt - 1, isReprocessed: reprocess }
      await putVersion(inbox, context, version, content, handled)
      const failures: unknown[] = []
      const fail = ({ error }: DeadEntry) => failures.push(error)
      const { handled: count } = await inbox.drain(fakes, { onFailed: fail, onDead: fail })
      if (failures.length === 0 && count === 1) return
      if (failures.length === 0) {
        throw new Error(
          `The event ${content.event.id} was not handled. Run this test alone in its process.`,
        )
      }
      await endVersion(context, content)
      throw failures[0]
    }
  })
  if (notRun.size > 0) warnOf(notRun)
  return { notRun: [...notRun] }
}

type CreateInbox<AppTx> = (options: InboxOptions) => Inbox<AppTx>

/**
 * Runs a function with an empty inbox: on an embedded database in a temporary folder, or in a new
 * schema of a given database. Deletes the folder or the schema afterwards.
 */
async function withInbox<AppTx, Result>(
  given: Database | undefined,
  source: string,
  create: CreateInbox<AppTx>,
  work: (inbox: Inbox<AppTx>, context: InboxContext) => Promise<Result>,
): Promise<Result> {
  if (given) {
    const schema = `reproduction_${randomBytes(6).toString('hex')}`
    try {
      return await withInboxOn(given, schema)
    } finally {
      await given.query(`drop schema if exists ${schema} cascade`)
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-reproduction-'))
  const opened = openDatabase({ folder })
  try {
    return await withInboxOn(opened, 'feed_inbox')
  } finally {
    await opened.close()
    await rm(folder, { recursive: true, force: true })
  }

  async function withInboxOn(database: Database, schema: string): Promise<Result> {
    const inbox = create({ database, schema, source })
    await inbox.start()
    try {
      return await withContext(inbox, (context) => work(inbox, context))
    } finally {
      await inbox.stop()
    }
  }
}

/**
 * Gives handlers effects that do nothing outside. An effect returns its stored result, or else the
 * result of its fake. `notRun` gets the keys that have neither. Errors: `bad_handler`.
 */
function withFakeEffects<AppTx>(
  handlers: Handlers<AppTx>,
  fakes: FakeEffects,
  notRun: Set<string>,
): Handlers<AppTx> {
  const fake = ({ once }: Effects): Effects => ({
    once: <Result>(key: string) =>
      once(key, async (context) => {
        const answer = Object.hasOwn(fakes, key) ? fakes[key] : undefined
        if (!answer) notRun.add(key)
        const given = await answer?.(context)
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the effect does not run
        return given as Result
      }),
  })
  return {
    '*': (event, context) =>
      findHandler(handlers, event.type)?.(event, { ...context, effects: fake(context.effects) }),
  }
}

/** The results of each event's effects, from whichever of its versions has them. */
function resultsOf(versions: readonly EventVersion[]): Map<string, Record<string, unknown>> {
  const results = new Map<string, Record<string, unknown>>()
  for (const version of versions) {
    const { id } = readContent(version).event
    results.set(id, { ...results.get(id), ...version.done })
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
    const { id } = readContent(version).event
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

function warnOf(keys: ReadonlySet<string>): void {
  const text = `These effects were not run and returned undefined: ${[...keys].join(', ')}. Set their results in \`effects\`.`
  process.emitWarning(text, 'FeedReproductionWarning')
}
