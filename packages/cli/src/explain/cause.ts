import { entriesOf, fill } from '../texts.ts'
import json from './causes.json' with { type: 'json' }

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const texts = { ...json }

/** A cause of a failed signature, and how to fix it. */
export interface Cause {
  code: string
  says: string
  fix: string
}

type CauseCode = keyof typeof texts

/** Values by cause, only for causes that have a text. */
export type ByCause<Value> = Readonly<Partial<Record<CauseCode, Value>>>

/** The value that was really signed or used if this is the cause; lazy if it may be large. */
export type Hypotheses<From, To> = ByCause<(from: From) => Iterable<To>>

/** The cause with this code, with the values filled into its text. */
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

/** Each variant of each hypothesis, with the cause that it would prove. */
export function* variantsOf<From, To>(
  hypotheses: Hypotheses<From, To>,
  from: From,
): Iterable<Variant<To>> {
  for (const { cause, value: variants } of causesIn(hypotheses)) {
    for (const variant of variants(from)) yield { variant, cause }
  }
}
