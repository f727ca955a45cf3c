import { entriesOf, fill } from '../texts.ts'
import json from './causes.json' with { type: 'json' }

// A copy, so that no declaration imports JSON, which the TypeScript of a user refuses.
const texts = { ...json }

/** One thing that went wrong, and what to change. */
export interface Cause {
  code: string
  says: string
  fix: string
}

type CauseCode = keyof typeof texts

/** What belongs to causes, for some of them: no others than those with a text. */
export type ByCause<Value> = Readonly<Partial<Record<CauseCode, Value>>>

/** What was really signed, or used in signing, if this happened; lazily if it may be large. */
export type Hypotheses<From, To> = ByCause<(from: From) => Iterable<To>>

/** The cause with this code, with values in the places that its text has for them. */
export function causeOf(code: CauseCode, values: Record<string, string> = {}): Cause {
  const { says, fix } = texts[code]
  return { code, says: fill(says, values), fix }
}

export function causesIn<Value>(table: ByCause<Value>) {
  return entriesOf(table).map(([code, value]) => ({ cause: causeOf(code), value }))
}

export interface Variant<To> {
  variant: To
  cause: Cause
}

/** Each variant of each hypothesis, with what it would be the cause of. */
export function* variantsOf<From, To>(
  hypotheses: Hypotheses<From, To>,
  from: From,
): Iterable<Variant<To>> {
  for (const { cause, value: variants } of causesIn(hypotheses)) {
    for (const variant of variants(from)) yield { variant, cause }
  }
}
