/** One thing that may have gone wrong, and what to do about it. */
export interface Hypothesis<From, To> {
  code: string
  /** One sentence on what happened. */
  says: string
  /** One sentence on what to change. */
  fix: string
  /** What was really used in signing, if this is what happened; lazily, since bodies may be large. */
  variants(from: From): Iterable<To>
}

/** How the body here may differ from the bytes that were signed. */
export type BodyHypothesis = Hypothesis<Uint8Array, Uint8Array>

/** How the secret here may differ from the key that signed. */
export type SecretHypothesis = Hypothesis<string, string | Uint8Array>
