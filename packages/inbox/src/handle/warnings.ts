import { knownTypes } from '@feed-receiver/core/internal'
import type { InboxContext } from '../context.ts'
import { closestTo } from '../closest.ts'

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
    const meant = closestTo(type, knownTypes)
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
