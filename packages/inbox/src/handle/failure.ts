import { redact, isError } from '@feed-receiver/core/internal'
import type { Tx } from '@feed-receiver/database'
import type { InboxContext } from '../context.ts'
import { quoteWord } from '../clean-text.ts'
import { isoTime } from '../entry/sql.ts'
import { checkOption, codeOf } from '../errors.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import { instruments } from '../telemetry/instruments.ts'
import { waitAtMost } from '../timeout.ts'
import type { ClaimedEntry } from './claim.ts'
import { Permanent, RetryAfter } from './handlers.ts'

/** `ended` if the entry is gone, or another attempt has ended it. */
type Ending = 'lost' | 'retried' | 'dead' | 'ended'

/**
 * Ends a failed attempt: the job waits for its retry, or is dead-lettered and the entry marked as
 * dead in the same transaction. The app is notified after the commit. Does nothing if another
 * attempt has claimed the job.
 */
export async function failAttempt(
  context: InboxContext & { onError: (error: unknown) => void },
  reports: Reports,
  job: ClaimedEntry,
  error: unknown,
): Promise<void> {
  const { database, source, onError } = context
  const isLast = cannotSucceed(error) || job.retryCount >= job.retryLimit
  const { ending, known } = await database.tx(async (tx) => {
    const end = isLast ? endLastTry : retryLater
    const reached = await end(tx, context, job, error)
    return { ending: reached, known: reached === 'lost' ? null : await findKnown(tx, context, job) }
  })
  if (ending === 'lost') return
  if (ending === 'dead') {
    instruments().handled.add(1, { 'feed.source': source, 'feed.outcome': 'dead' })
  }
  // There is no entry to report on, but the error must not be lost.
  if (!known || ending === 'ended') return onError(error)
  const { eventId, type, nextAttemptAt } = known
  const failure: DeadEntry = {
    eventId,
    type,
    entryId: job.data.entryId,
    attempt: job.retryCount + 1,
    maxAttempts: job.retryLimit + 1,
    error,
  }
  if (ending === 'dead') return reports.dead(failure)
  reports.failed({ ...failure, nextAttemptAt: new Date(nextAttemptAt ?? Date.now()) })
}

/** A retry of a handler that has committed by itself would repeat what it wrote. */
function cannotSucceed(error: unknown): boolean {
  return error instanceof Permanent || codeOf(error) === 'transaction_control'
}

async function retryLater(
  tx: Tx,
  { queue }: InboxContext,
  job: ClaimedEntry,
  error: unknown,
): Promise<Ending> {
  if (!(await queue.fail(job, error, tx))) return 'lost'
  if (error instanceof RetryAfter) await queue.postpone(job, error.seconds, tx)
  return 'retried'
}

/**
 * If the content changed during the attempt, its last attempt was not the last one for the new
 * content, which gets a new job.
 */
async function endLastTry(
  tx: Tx,
  context: InboxContext,
  job: ClaimedEntry,
  error: unknown,
): Promise<Ending> {
  const { tables, queue } = context
  const { entryId } = job.data
  // Locks the job before the entry, like the end of an attempt.
  await queue.exhaustRetries(job, tx)
  const { rows } = await tx.query<{ revision: number }>(
    `select revision from ${tables.entry}
     where id = $1 and state = 'received' for update`,
    [entryId],
  )
  if (rows.some(({ revision }) => revision > job.revision)) {
    if (!(await queue.complete(job, tx))) return 'lost'
    await enqueueEntries(tx, context, [entryId])
    return 'retried'
  }
  if (!(await queue.fail(job, error, tx))) return 'lost'
  await queue.unblock(tx)
  const { rowCount } = await tx.query(
    `update ${tables.entry} set state = 'dead', handled_at = now()
     where id = $1 and state = 'received'`,
    [entryId],
  )
  return rowCount === 1 ? 'dead' : 'ended'
}

interface Known {
  eventId: string
  type: string
  nextAttemptAt: string | null
}

/** The facts about an entry that are reported beside the error, as of this transaction. */
async function findKnown(
  tx: Tx,
  { tables, queue }: InboxContext,
  { id, data }: ClaimedEntry,
): Promise<Known | undefined> {
  const { rows } = await tx.query<Known>(
    `select event_id as "eventId", type, (
       select ${isoTime('start_after')} from ${tables.job} job
       where job.data ->> 'entryId' = entry.id::text and job.name = $2
         and job.state in ('created', 'retry')
       order by job.id = $3::uuid desc, job.created_on desc limit 1
     ) as "nextAttemptAt"
     from ${tables.entry} entry where id = $1`,
    [data.entryId, queue.name, id],
  )
  return rows[0]
}

/** A dead entry: its handler does not run again unless somebody retries it. */
export interface DeadEntry {
  /** For `inbox.entries.get(eventId)`, which returns the event and the stack of the error. */
  eventId: string
  /** The type of the event. */
  type: string
  entryId: number
  /** The attempt that failed: 1 for the first run of the handler, one more for each retry. */
  attempt: number
  maxAttempts: number
  /**
   * The error that the handler threw. After a killed process, the queue's record of it, or an error
   * that says so.
   */
  error: unknown
}

/** A failed attempt that another one follows. */
export interface FailedAttempt extends DeadEntry {
  /** When the next attempt is due, by the database's clock. */
  nextAttemptAt: Date
}

export interface FailureOptions {
  /**
   * Called for each failed attempt that will be retried, once the failure is stored. Its own errors
   * go to `onError`. Not called for an attempt whose process was killed.
   * @default writes one line to stderr
   */
  onFailed?: ((failure: FailedAttempt) => unknown) | undefined
  /**
   * Called instead of `onFailed` when an entry is dead: its last attempt failed, or its handler
   * threw `Permanent`. Its own errors go to `onError`.
   * @default writes one line to stderr, with the command that retries the entry
   */
  onDead?: ((dead: DeadEntry) => unknown) | undefined
}

/** Reports failures to the app. Handling never waits for a report, and a report cannot fail. */
export interface Reports {
  failed(failure: FailedAttempt): void
  dead(dead: DeadEntry): void
  /** Waits briefly for callbacks, because a process may exit after a drain or a stop. */
  delivered(): Promise<void>
}

/** How long a drain or a stop waits for callbacks. */
const patienceMs = 2_000

export function createReports(
  options: FailureOptions,
  { source, onError }: { source: string; onError: (error: unknown) => void },
): Reports {
  const { onFailed = printFailed, onDead = (dead) => printDead(dead, source) } = options
  checkOption(typeof onFailed === 'function', 'onFailed: use a function.')
  checkOption(typeof onDead === 'function', 'onDead: use a function.')
  const pending = new Set<Promise<void>>()

  return {
    failed: (failure) => report(async () => onFailed(failure)),
    dead: (dead) => report(async () => onDead(dead)),
    delivered: () => waitAtMost(patienceMs, Promise.all(pending)),
  }

  function report(call: () => Promise<unknown>): void {
    const reported = call()
      .catch(onError)
      .then(() => void pending.delete(reported))
    pending.add(reported)
  }
}

function printFailed(failure: FailedAttempt): void {
  print(failure, '', `. Next attempt ${whenDue(failure.nextAttemptAt)}.`)
}

function printDead(dead: DeadEntry, source: string): void {
  const options = source === 'feed' ? '' : `--source ${source} `
  const target = options + operandOf(oneLine(dead.eventId, 255))
  const next =
    ` and is not retried. Inspect it with \`npx feed-receiver inbox show ${target}\`, fix the ` +
    `cause, then run \`npx feed-receiver inbox retry ${target}\`.`
  print(dead, 'DEAD: ', next)
}

function print(failure: DeadEntry, mark: string, next: string): void {
  const { type, eventId, attempt, maxAttempts } = failure
  const event = oneLine(`${type} ${eventId}`, 400)
  // An error of a handler may contain a URL with a password.
  const error = oneLine(redact(nameError(failure.error)), 300)
  const failed = `${mark}${event} failed in attempt ${attempt} of ${maxAttempts}`
  process.stderr.write(`feed-receiver: ${failed}${next} ${error}\n`)
}

/**
 * The error of an attempt that the queue failed because its process is gone, from the queue's
 * record.
 */
export function unfinished(cause: string): string {
  return `The last attempt did not finish: ${cause}.`
}

function nameError(error: unknown): string {
  try {
    if (!isError(error)) return `It threw: ${String(error)}`
    const { name, message, cause } = error
    const text = `${head(name)}: ${head(message)}`
    const why = isError(cause) ? head(cause.message) : ''
    return text.includes(why) ? text : `${text} (${why})`
  } catch {
    return 'It threw a value that cannot be shown.'
  }
}

// Joined texts of megabytes would be copied.
function head(text: unknown): string {
  return String(text).slice(0, 1_000)
}

/** Removes characters that move the cursor of a terminal or turn the direction of its text. */
function oneLine(text: string, maxLength: number): string {
  const flat = text
    .slice(0, 4 * maxLength)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Z}]+/gu, ' ')
    .trim()
  return flat.length <= maxLength ? flat : `${flat.slice(0, maxLength - 1).toWellFormed()}…`
}

/** The id as an operand of a command. */
function operandOf(id: string): string {
  return /^\w[\w.:-]*$/.test(id) ? id : `-- ${quoteWord(id)}`
}

// The database's clock may differ from ours. Then only the absolute time is correct.
function whenDue(at: Date): string {
  const seconds = Math.ceil((at.getTime() - Date.now()) / 1_000)
  return seconds >= 0 && seconds <= 120 ? `in ${seconds} s` : `at ${at.toISOString()}`
}
