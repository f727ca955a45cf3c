export interface Cause {
  code: string
  says: string
  fix: string
}

/** A possible cause, and the values that were really signed or used if it is the cause. */
export interface Hypothesis<From, To> extends Cause {
  /** Lazy if they may be large. */
  variants(from: From): Iterable<To>
}

export interface Variant<To> {
  variant: To
  cause: Cause
}

/** Each variant of each hypothesis, with the cause that it would prove. */
export function* variantsOf<From, To>(
  hypotheses: readonly Hypothesis<From, To>[],
  from: From,
): Iterable<Variant<To>> {
  for (const { code, says, fix, variants } of hypotheses) {
    for (const variant of variants(from)) yield { variant, cause: { code, says, fix } }
  }
}
