import type { AuditDay } from './audit-days.ts'
import type { AuditStatement } from './read-statement.ts'
import type { AuditCounts } from './tally.ts'

/** What keeps a statement from being complete. */
export interface AuditProblem {
  code: AuditProblemCode
  /** Says what is wrong, and what to do. */
  message: string
}

export type AuditProblemCode =
  | 'rows_removed'
  | 'rows_added'
  | 'rows_changed'
  | 'seal_changed'
  | 'seal_missing'
  | 'bodies_changed'
  | 'head_differs'
  | 'signed_differs'
  | 'stored_twice'
  | 'dead'
  | 'pending'
  | 'quarantined'

/** The problems of one statement: its chain, its bodies and its signatures. */
export function findProblems({ days, counts, ...statement }: AuditStatement): AuditProblem[] {
  const { isSealed, head, signatures } = statement
  const others = signatures.filter((one) => isSealed && one.head !== head)
  return [
    ...days.flatMap(faultOf),
    ...problemIf(
      counts.changedBodies,
      'bodies_changed',
      'Stored bodies that do not match the hash of the signed bytes',
      'Restore them from a backup.',
    ),
    ...others.map(({ by, at, head: signed }): AuditProblem => ({
      code: 'signed_differs',
      message: `${by} signed the head ${signed} at ${at}, but the head is ${head} now. Rows and seals were rewritten since.`,
    })),
  ]
}

/** The problems of all statements together: events that were not handled once. */
export function findUnhandled(
  { storedTwice, dead, pending }: AuditCounts & { storedTwice: number },
  statements: readonly AuditStatement[],
): AuditProblem[] {
  const quarantined = statements
    .flatMap((statement) => statement.quarantined)
    .filter(({ state }) => state === 'open')
    .reduce((sum, { count }) => sum + count, 0)
  return [
    ...problemIf(
      storedTwice,
      'stored_twice',
      'Events that are stored more than once, and may be handled twice',
      'Check the unique constraint of the table entry and the order of the shards.',
    ),
    ...problemIf(dead, 'dead', 'Dead events', 'Requeue them with: feed-receiver inbox retry'),
    ...problemIf(
      pending,
      'pending',
      'Pending events',
      'Wait until they are handled, or check the workers with: feed-receiver inbox health',
    ),
    ...problemIf(
      quarantined,
      'quarantined',
      'Deliveries in quarantine',
      'Release or discard them: feed-receiver inbox quarantine list',
    ),
  ]
}

function faultOf({ day, sealed, found, removed, fault }: AuditDay): AuditProblem[] {
  if (fault === null) return []
  if (fault === 'seal') {
    const message = `Day ${day}: its head does not follow from the day before. A seal was changed: compare the heads with those that you wrote down.`
    return [{ code: 'seal_changed', message }]
  }
  if (fault === 'missing') {
    const message = `Day ${day}: its seal is missing, although later days are sealed. Restore the row of sealed_day from a backup.`
    return [{ code: 'seal_missing', message }]
  }
  const expected = (sealed ?? 0) - removed
  const { code, cause } = explainRows(found - expected)
  const counted = `sealed ${sealed ?? 0} entries, found ${found + removed}`
  return [{ code, message: `Day ${day}: ${counted}; the chain differs. ${cause}` }]
}

function explainRows(surplus: number): { code: AuditProblemCode; cause: string } {
  if (surplus < 0) {
    const cause = 'Rows were deleted outside of retention: restore them from a backup.'
    return { code: 'rows_removed', cause }
  }
  if (surplus > 0) {
    const cause = 'Rows were added after the day was sealed: compare them with a backup.'
    return { code: 'rows_added', cause }
  }
  const cause = 'A row was changed or replaced: compare them with a backup.'
  return { code: 'rows_changed', cause }
}

function problemIf(
  count: number,
  code: AuditProblemCode,
  what: string,
  fix: string,
): AuditProblem[] {
  return count === 0 ? [] : [{ code, message: `${what}: ${count}. ${fix}` }]
}
