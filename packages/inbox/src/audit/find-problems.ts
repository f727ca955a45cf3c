import { fill } from '../errors.ts'
import type { AuditStatement } from './read-statement.ts'
import json from './audit-problems.json' with { type: 'json' }
import type { AuditDay } from './judge-day.ts'
import type { AuditCounts } from './tally.ts'

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** What keeps a statement from being complete. */
export interface AuditProblem {
  code: AuditProblemCode
  /** Says what is wrong, and what to do. */
  message: string
}

export type AuditProblemCode = keyof typeof texts

/** The problems of one statement: its chain, its bodies and its signatures. */
export function findProblems({ days, counts, ...statement }: AuditStatement): AuditProblem[] {
  const { isSealed, head, signatures } = statement
  const others = signatures.filter((one) => isSealed && one.head !== head)
  return [
    ...days.flatMap(faultOf),
    ...problemIf('bodies_changed', counts.changedBodies),
    ...others.map((one) => problemOf('signed_differs', { ...one, signed: one.head, head })),
  ]
}

/** The problems of all statements together: events that were not handled once. */
export function findUnhandled(
  { doubled, dead, pending }: AuditCounts & { doubled: number },
  statements: readonly AuditStatement[],
): AuditProblem[] {
  const open = statements
    .flatMap(({ quarantined }) => quarantined)
    .filter(({ state }) => state === 'open')
  return [
    ...problemIf('doubled', doubled),
    ...problemIf('dead', dead),
    ...problemIf('pending', pending),
    ...problemIf(
      'quarantined',
      open.reduce((sum, { count }) => sum + count, 0),
    ),
  ]
}

export function problemOf(code: AuditProblemCode, values: object): AuditProblem {
  return { code, message: fill(texts[code], { ...values }) }
}

function faultOf({ day, sealed, found, removed, fault }: AuditDay): AuditProblem[] {
  if (fault === null) return []
  if (fault === 'seal') return [problemOf('seal_changed', { day })]
  if (fault === 'missing') return [problemOf('seal_missing', { day })]
  const expected = (sealed ?? 0) - removed
  const values = { day, sealed: sealed ?? 0, found: found + removed }
  if (found < expected) return [problemOf('rows_removed', values)]
  return [problemOf(found > expected ? 'rows_added' : 'rows_changed', values)]
}

function problemIf(code: AuditProblemCode, count: number): AuditProblem[] {
  return count === 0 ? [] : [problemOf(code, { count })]
}
