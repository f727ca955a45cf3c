/** One thing that went wrong, and what to change. */
export interface Cause {
  code: string
  says: string
  fix: string
}

/** What may have gone wrong, by code. */
export type Hypotheses<From, To> = Readonly<Record<string, Hypothesis<From, To>>>

interface Hypothesis<From, To> extends Omit<Cause, 'code'> {
  /** What was really signed, or used in signing, if this happened; lazily if it may be large. */
  variants: (from: From) => Iterable<To>
}

/** Each variant of each hypothesis, with what it would be the cause of. */
export function* variantsOf<From, To>(
  hypotheses: Hypotheses<From, To>,
  from: From,
): Iterable<{ variant: To; cause: Cause }> {
  for (const [code, { says, fix, variants }] of Object.entries(hypotheses)) {
    for (const variant of variants(from)) yield { variant, cause: { code, says, fix } }
  }
}
