import { knownTypes } from '@feed-receiver/core/internal'
import type { InboxContext } from '../context.ts'
import { closestTo } from '../closest.ts'
import { InboxError } from '../errors.ts'
import type { ClaimedJob } from '../queue/queue.ts'

const warned = new Set<string>()

/** Warns once per process. */
function warn(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(text, 'FeedInboxWarning')
}

/**
 * Warns of keys that look like a misspelled type, and of handlers that never run. TypeScript rejects
 * them in a literal. This is for JavaScript, and for objects of a wider type.
 */
export function warnOfTypes({ futureTypes, ...handlers }: { futureTypes?: object }): void {
  for (const type of Object.keys(handlers)) {
    const meant = type === '*' ? undefined : closestTo(type, knownTypes)
    if (meant === 'destination_test') warnOfTests(type)
    else if (meant !== undefined && meant !== type) {
      warn(
        `'${type}' is not a known event type, so its handler may never run. Rename it to ` +
          `'${meant}', or move it into \`futureTypes\` if the type is new.`,
      )
    }
  }
  if (futureTypes && Object.hasOwn(futureTypes, 'destination_test')) warnOfTests('destination_test')
}

function warnOfTests(type: string): void {
  warn(`The handler of '${type}' never runs, because test deliveries reach no handler. Remove it.`)
}

/** Warns of priorities whose type looks misspelled: they would have no effect. */
export function warnOfPriorities(priority: Readonly<Record<string, number>>): void {
  for (const type of Object.keys(priority)) {
    const meant = closestTo(type, knownTypes)
    if (meant === undefined || meant === type) continue
    warn(
      `'${type}' in the option priority is not a known event type, so it may have no effect. Did ` +
        `you mean '${meant}'?`,
    )
  }
}

/** The listener, a claim, a delivery, and one to read and end entries. */
const besideHandlers = 4

/**
 * Warns if more handlers may run than can have a transaction at once. The others wait for a
 * connection.
 */
export async function warnOfConnections(
  { database }: Pick<InboxContext, 'database'>,
  concurrency = 4,
): Promise<void> {
  if (database.kind !== 'postgres') return
  const { maxConnections } = database
  if (concurrency >= maxConnections) warnOfFew(concurrency, `a pool of ${maxConnections}`)
  const { rows } = await database.query<{ limit: number | null }>(
    `select least(nullif(rolconnlimit, -1), nullif(datconnlimit, -1)) as limit
     from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  )
  const limit = rows[0]?.limit ?? Infinity
  if (concurrency + besideHandlers > limit) {
    warnOfFew(concurrency, `a role or database limited to ${limit}`)
  }
}

function warnOfFew(concurrency: number, limit: string): void {
  warn(
    `\`work\` may run up to ${concurrency} handlers at once, but ${limit} connections cannot hold ` +
      'a transaction for each. The others wait for a connection. Lower concurrency, or raise ' +
      'maxConnections and the limit of the role.',
  )
}

/** After this time a handler may hang. */
const slowMs = 60_000
const maxNamed = 10

interface TimedAttempt {
  job: ClaimedJob
  returned: Promise<unknown>
}

/**
 * Makes a function that starts attempts also report the handlers that have run for more than a
 * minute: all of them in one error, and at most once a minute.
 */
export function watchSlowAttempts<Args extends unknown[], One extends TimedAttempt>(
  start: (...args: Args) => One,
  onError: (error: unknown) => void,
  limitMs = slowMs,
): (...args: Args) => One {
  const startedAt = new Map<One, number>()
  const reported = new WeakSet<One>()
  let reportedAt = -Infinity

  return (...args) => {
    const attempt = start(...args)
    startedAt.set(attempt, performance.now())
    const timer = setTimeout(report, limitMs).unref()
    void attempt.returned.finally(() => {
      clearTimeout(timer)
      startedAt.delete(attempt)
    })
    return attempt
  }

  function report(): void {
    const now = performance.now()
    // A timer may be some milliseconds early.
    const slow = [...startedAt].filter(([, at]) => now - at > limitMs * 0.9)
    if (slow.every(([attempt]) => reported.has(attempt))) return
    const waitMs = reportedAt + limitMs - now
    if (waitMs > 0) {
      setTimeout(report, waitMs).unref()
      return
    }
    reportedAt = now
    for (const [attempt] of slow) reported.add(attempt)
    const named = slow.slice(0, maxNamed).map(([{ job }, at]) => {
      const seconds = Math.round((now - at) / 1_000)
      return `${job.groupId ?? 'unknown'} (entry ${job.data.entryId}, attempt ${job.retryCount + 1}, ${seconds} s)`
    })
    const [count, names] = [slow.length, named.join(', ')]
    const message = `${count} handlers have run for more than 60 s: ${names}. If they hang, pass \`signal\` to the calls they make, and restart this process: until an attempt times out after 15 minutes, it keeps its place in the worker.`
    onError(new InboxError('slow_handlers', message))
  }
}
