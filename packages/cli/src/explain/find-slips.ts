import { hash } from 'node:crypto'
import { bodyHypotheses } from './body-hypotheses.ts'
import { secretHypotheses } from './secret-hypotheses.ts'
import type { ReadSignature } from './read-signature.ts'
import { digestOf, signingHypotheses } from './signing-hypotheses.ts'
import type { Cause } from './cause.ts'

export interface NamedSecret {
  /** Where it comes from, such as the name of the variable. */
  name: string
  value: string
}

export interface Signed {
  signature: ReadSignature
  body: Uint8Array
  eventId: string
}

export interface Slips {
  secret: NamedSecret
  /** What was done wrong; empty where the signature is right. */
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

const lookExactly: Look = (signed, secret) => (isSignedBy(signed, secret, signed.body) ? [] : null)

const lookAtSecret: Look = (signed, secret) => {
  const { body } = signed
  const found = secretHypotheses.find(({ variants }) =>
    some(variants(secret), (key) => isSignedBy(signed, key, body)),
  )
  return found ? [found] : null
}

const lookAtBody: Look = (signed, secret) => {
  const found = bodyHypotheses.find(({ variants }) =>
    some(variants(signed.body), (body) => isSignedBy(signed, secret, body)),
  )
  return found ? [found] : null
}

const lookAtSigning: Look = (signed, key) => {
  const { body, eventId, signature } = signed
  const { timestamp } = signature
  const found = signingHypotheses.find(({ digests }) =>
    some(digests({ key, timestamp, body, eventId }), (digest) => isGiven(signed, digest)),
  )
  return found ? [found] : null
}

const lookAtTwo: Look = (signed, secret) =>
  lookAtSecretAndBody(signed, secret) ?? lookAtSecretAndSigning(signed, secret)

function lookAtSecretAndBody(signed: Signed, secret: string): Cause[] | null {
  const keys = keysOf(secret)
  // Most ways to write the same JSON make the same bytes, and each costs as many tries as keys.
  const seen = new Set([hash('sha256', signed.body)])
  for (const slip of bodyHypotheses) {
    for (const body of slip.variants(signed.body)) {
      const digest = hash('sha256', body)
      if (seen.has(digest)) continue
      seen.add(digest)
      const found = keys.find(({ key }) => isSignedBy(signed, key, body))
      if (found) return [found.slip, slip]
    }
  }
  return null
}

/** Beyond this size the many ways of signing with many keys would take seconds. */
const smallBody = 65_536

function lookAtSecretAndSigning(signed: Signed, secret: string): Cause[] | null {
  const { signature, ...rest } = signed
  if (signed.body.length > smallBody) return null
  for (const { key, slip } of keysOf(secret)) {
    for (const signing of signingHypotheses) {
      const digests = signing.digests({ ...rest, key, timestamp: signature.timestamp })
      if (some(digests, (digest) => isGiven(signed, digest))) return [slip, signing]
    }
  }
  return null
}

function keysOf(secret: string) {
  const seen = new Set([Buffer.from(secret).toString('hex')])
  return secretHypotheses.flatMap((slip) =>
    [...slip.variants(secret)]
      .map((key) => ({ key, slip, hex: Buffer.from(key).toString('hex') }))
      .filter(({ hex }) => !seen.has(hex) && seen.add(hex)),
  )
}

function isSignedBy(signed: Signed, key: string | Uint8Array, body: Uint8Array): boolean {
  return isGiven(signed, digestOf({ key, timestamp: signed.signature.timestamp, body }))
}

function isGiven({ signature }: Signed, digest: string): boolean {
  return signature.signatures.includes(digest)
}

function some<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): boolean {
  for (const item of items) if (isWanted(item)) return true
  return false
}
