import { hash } from 'node:crypto'
import { bodyHypotheses } from './body-hypotheses.ts'
import { variantsOf, type Cause } from './cause.ts'
import type { ReadSignature } from './read-signature.ts'
import { secretHypotheses } from './secret-hypotheses.ts'
import { hmac, signingHypotheses } from './signing-hypotheses.ts'

export interface NamedSecret {
  /** Where it comes from, such as the name of the variable. */
  name: string
  value: string
}

export interface Signed {
  signature: ReadSignature
  body: Buffer
  eventId: string
}

export interface Slips {
  secret: NamedSecret
  /** What was done wrong; empty if the signature is right. */
  causes: Cause[]
}

/** Finds what has to be assumed for the signature to be right, as little as possible. */
export function findSlips(signed: Signed, secrets: readonly NamedSecret[]): Slips | null {
  for (const look of [lookExactly, lookAtSecret, lookAtBody, lookAtSigning, lookAtTwo]) {
    for (const secret of secrets) {
      const causes = look(signed, secret.value)
      if (causes) return { secret, causes }
    }
  }
  return null
}

type Look = (signed: Signed, secret: string) => Cause[] | null

const lookExactly: Look = (signed, key) => (isSignedBy(signed, key, signed.body) ? [] : null)

const lookAtSecret: Look = (signed, secret) =>
  firstFit(variantsOf(secretHypotheses, secret.trim()), (key) =>
    isSignedBy(signed, key, signed.body),
  )

const lookAtBody: Look = (signed, key) =>
  firstFit(variantsOf(bodyHypotheses, signed.body), (body) => isSignedBy(signed, key, body))

const lookAtSigning = (signed: Signed, key: string | Uint8Array): Cause[] | null => {
  const { signature, body, eventId } = signed
  const { timestamp, signatures } = signature
  const variants = variantsOf(signingHypotheses, { key, timestamp, body, eventId })
  return firstFit(variants, (digest) => signatures.includes(digest))
}

const lookAtTwo: Look = (signed, secret) => {
  const keys = keysOf(secret)
  return lookAtSecretAndBody(signed, keys) ?? lookAtSecretAndSigning(signed, keys)
}

type Keys = readonly { variant: string | Uint8Array; cause: Cause }[]

function lookAtSecretAndBody(signed: Signed, keys: Keys): Cause[] | null {
  // Most ways to write the same JSON make the same bytes, and each costs as many tries as keys.
  const seen = new Set([hash('sha256', signed.body)])
  for (const { variant: body, cause } of variantsOf(bodyHypotheses, signed.body)) {
    const digest = hash('sha256', body)
    if (seen.has(digest)) continue
    seen.add(digest)
    const found = keys.find(({ variant: key }) => isSignedBy(signed, key, body))
    if (found) return [found.cause, cause]
  }
  return null
}

/** Beyond this size the many ways of signing with many keys would take seconds. */
const smallBody = 65_536

function lookAtSecretAndSigning(signed: Signed, keys: Keys): Cause[] | null {
  if (signed.body.length > smallBody) return null
  for (const { variant: key, cause } of keys) {
    const signing = lookAtSigning(signed, key)
    if (signing) return [cause, ...signing]
  }
  return null
}

function keysOf(secret: string): Keys {
  const seen = new Set([Buffer.from(secret).toString('hex')])
  return [...variantsOf(secretHypotheses, secret.trim())].filter(({ variant }) => {
    const hex = Buffer.from(variant).toString('hex')
    return !seen.has(hex) && seen.add(hex)
  })
}

function firstFit<To>(
  variants: Iterable<{ variant: To; cause: Cause }>,
  fits: (variant: To) => boolean,
): Cause[] | null {
  for (const { variant, cause } of variants) if (fits(variant)) return [cause]
  return null
}

function isSignedBy(
  { signature: { timestamp, signatures } }: Signed,
  key: string | Uint8Array,
  body: string | Uint8Array,
): boolean {
  return signatures.includes(hmac(key, `${timestamp}.`, body))
}
