import { hash } from 'node:crypto'
import { bodyHypotheses } from './body-hypotheses.ts'
import { variantsOf, type Cause, type Variant } from './cause.ts'
import type { ReadSignature } from './read-signature.ts'
import { secretHypotheses } from './secret-hypotheses.ts'
import { hmac, signingHypotheses } from './signing-hypotheses.ts'

export interface Signed {
  signature: ReadSignature
  body: Buffer
  eventId: string
}

/**
 * Finds the fewest assumptions that make the signature correct: the secret, and the mistakes in
 * signing. There is no mistake if the signature is correct.
 */
export function findMistakes<Secret extends { value: string }>(
  signed: Signed,
  secrets: readonly Secret[],
) {
  for (const search of searches) {
    for (const secret of secrets) {
      const causes = search(signed, secret.value)
      if (causes) return { secret, causes }
    }
  }
  return null
}

type Key = string | Uint8Array

const searches: readonly ((signed: Signed, secret: string) => Cause[] | null)[] = [
  (signed, key) => (isSignedBy(signed, key) ? [] : null),
  (signed, secret) =>
    firstFit(variantsOf(secretHypotheses, secret.trim()), (key) => isSignedBy(signed, key)),
  (signed, key) =>
    firstFit(variantsOf(bodyHypotheses, signed.body), (body) => isSignedBy(signed, key, body)),
  trySigning,
  (signed, secret) => {
    const keys = [...distinct(variantsOf(secretHypotheses, secret.trim()), secret)]
    return trySecretAndBody(signed, keys) ?? trySecretAndSigning(signed, keys)
  },
]

function trySigning({ signature, body, eventId }: Signed, key: Key): Cause[] | null {
  const { timestamp, signatures } = signature
  const variants = variantsOf(signingHypotheses, { key, timestamp, body, eventId })
  return firstFit(variants, (digest) => isAmong(signatures, digest))
}

function trySecretAndBody(signed: Signed, keys: Variant<Key>[]): Cause[] | null {
  // Most JSON serializers give the same bytes, and trying each distinct body takes one attempt per
  // key.
  for (const { variant, cause } of distinct(variantsOf(bodyHypotheses, signed.body), signed.body)) {
    const found = keys.find(({ variant: key }) => isSignedBy(signed, key, variant))
    if (found) return [found.cause, cause]
  }
  return null
}

/** Above this size, trying many ways of signing with many keys would take seconds. */
const smallBody = 65_536

function trySecretAndSigning(signed: Signed, keys: Variant<Key>[]): Cause[] | null {
  if (signed.body.length > smallBody) return null
  for (const { variant: key, cause } of keys) {
    const signing = trySigning(signed, key)
    if (signing) return [cause, ...signing]
  }
  return null
}

/** Each variant once, without the earlier ones. */
function* distinct(variants: Iterable<Variant<Key>>, before: Key): Iterable<Variant<Key>> {
  const seen = new Set([hash('sha256', before)])
  for (const each of variants) {
    const digest = hash('sha256', each.variant)
    if (!seen.has(digest)) yield each
    seen.add(digest)
  }
}

function firstFit<To>(
  variants: Iterable<Variant<To>>,
  fits: (variant: To) => boolean,
): Cause[] | null {
  for (const { variant, cause } of variants) if (fits(variant)) return [cause]
  return null
}

function isSignedBy({ signature, body: own }: Signed, key: Key, body: Key = own): boolean {
  return isAmong(signature.signatures, hmac(key, `${signature.timestamp}.`, body))
}

function isAmong(signatures: readonly string[], digest: string): boolean {
  // oxlint-disable-next-line feed-receiver/constant-time -- nobody can measure an explanation
  return signatures.includes(digest)
}
