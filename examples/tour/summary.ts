import type { Row } from './board.ts'
import type { Inside } from './look-inside.ts'

export interface Count {
  what: string
  seen: number
  expected: number
}

/** Counts what happened beside what must have happened; `good` events are new to the inbox. */
export function countEverything(
  rows: readonly Row[],
  { entries, quarantine, effects }: Inside,
  good: number,
): Count[] {
  const answers = rows.flatMap((row) => row.answers)
  const inState = (state: string) => entries.filter((entry) => entry.state === state).length
  const answered = (status: number) => answers.filter((answer) => answer === status).length
  return [
    { what: 'answered 202: stored, or set aside', seen: answered(202), expected: good + 1 },
    { what: 'answered 200: known already', seen: answered(200), expected: good - 1 },
    { what: 'answered 401: changed, or signed by another', seen: answered(401), expected: 2 },
    { what: 'answered 503: too late, or the inbox was down', seen: answered(503), expected: 3 },
    { what: 'entries in the inbox', seen: entries.length, expected: good },
    { what: 'entries done', seen: inState('done'), expected: good - 1 },
    { what: 'entries skipped (the test delivery)', seen: inState('skipped'), expected: 1 },
    { what: 'in quarantine (schema 2.0)', seen: quarantine.length, expected: 1 },
    { what: 'rows written by the handler', seen: effects.length, expected: good - 1 },
  ]
}

export function isAsExpected({ seen, expected }: Count): boolean {
  return seen === expected
}

export function formatCount(count: Count): string {
  const { what, seen, expected } = count
  const verdict = isAsExpected(count) ? '' : `  <- must be ${expected}`
  return `${String(seen).padStart(5)}  ${what}${verdict}`
}
