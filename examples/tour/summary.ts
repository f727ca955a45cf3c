import type { Row } from './board.ts'
import type { Inside } from './look-inside.ts'

export interface Count {
  what: string
  seen: number
  expected: number
}

/** How many good deliveries were requested, by kind. */
export interface Asked {
  tests: number
  published: number
  repeated: number
}

/** Counts the results beside the expected ones. */
export function countEverything(
  rows: readonly Row[],
  { entries, quarantine, effects }: Inside,
  { tests, published, repeated }: Asked,
): Count[] {
  const fresh = tests + published
  const answers = rows.flatMap((row) => row.answers)
  const inState = (state: string) => entries.filter((entry) => entry.state === state).length
  const answered = (status: number) => answers.filter((answer) => answer === status).length
  return [
    { what: 'answered 202: stored, or quarantined', seen: answered(202), expected: fresh + 1 },
    { what: 'answered 200: duplicate', seen: answered(200), expected: repeated },
    { what: 'answered 401: body changed, or other secret', seen: answered(401), expected: 2 },
    { what: 'answered 503: too late, or inbox down', seen: answered(503), expected: 3 },
    { what: 'entries in the inbox', seen: entries.length, expected: fresh },
    { what: 'entries done', seen: inState('done'), expected: published },
    { what: 'entries skipped (the test delivery)', seen: inState('skipped'), expected: tests },
    { what: 'in quarantine (schema 2.0)', seen: quarantine.length, expected: 1 },
    { what: 'rows written by the handler', seen: effects.length, expected: published },
  ]
}

export function isAsExpected({ seen, expected }: Count): boolean {
  return seen === expected
}

export function formatCount(count: Count): string {
  const { what, seen, expected } = count
  const verdict = isAsExpected(count) ? '' : `  <- expected ${expected}`
  return `${String(seen).padStart(5)}  ${what}${verdict}`
}
