import type { AuditDay } from './audit-days.ts'
import type { AuditStatement } from './read-statement.ts'
import type { AuditCounts } from './counts.ts'

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

/** What is wrong with a day, and what to do. */
const dayFaults = {
  rows_removed: 'Rows were deleted outside of retention: restore them from a backup.',
  rows_added: 'Rows were added after the day was sealed: compare them with a backup.',
  rows_changed: 'A row was changed or replaced: compare them with a backup.',
  seal_changed:
    'its head does not follow from the day before. A seal was changed: compare the heads with those that you wrote down.',
  seal_missing:
    'its seal is missing, although later days are sealed. Restore the row of sealed_day from a backup.',
}

function faultOf({ day, sealed, found, removed, fault }: AuditDay): AuditProblem[] {
  if (fault === null) return []
  const [before, now] = [sealed ?? 0, found + removed]
  const ofRows = now < before ? 'rows_removed' : now > before ? 'rows_added' : 'rows_changed'
  const codes = { rows: ofRows, seal: 'seal_changed', missing: 'seal_missing' } as const
  const code = codes[fault]
  const counted = `sealed ${before} entries, found ${now}; the chain differs. `
  return [{ code, message: `Day ${day}: ${fault === 'rows' ? counted : ''}${dayFaults[code]}` }]
}

function problemIf(
  count: number,
  code: AuditProblemCode,
  what: string,
  fix: string,
): AuditProblem[] {
  return count === 0 ? [] : [{ code, message: `${what}: ${count}. ${fix}` }]
}
