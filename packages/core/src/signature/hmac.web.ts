import { checkSecrets, fingerprintText, type SecretList } from './secret.ts'
import type { Signature } from './signature.ts'

/** A signing secret; WebCrypto imports its key while the first delivery is read. */
export interface Secret {
  key: () => ReturnType<typeof subtle.importKey>
  fingerprint: () => Promise<string>
}

const { subtle } = globalThis.crypto
const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const encoder = new TextEncoder()

/** Prepares secrets for use. Errors: as `checkSecrets`. */
export function readSecrets(given: SecretList): Secret[] {
  return checkSecrets(given).map((secret) => ({
    // At first use: a Worker may not hash before it has a request.
    key: once(() => subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])),
    fingerprint: once(() => fingerprintOf(secret)),
  }))
}

/** The fingerprint of a secret for reports: 12 hex digits that reveal nothing about it. */
export async function fingerprintOf(secret: string): Promise<string> {
  const hash = await subtle.digest('SHA-256', encoder.encode(fingerprintText(secret)))
  return toHex(hash).slice(0, 12)
}

/** The fingerprint of the secret that made one of the signatures of these bytes. */
export async function findSigner(
  { timestampSeconds, signatures }: Signature,
  body: Uint8Array,
  secrets: readonly Secret[],
): Promise<string | undefined> {
  const message = messageOf(timestampSeconds, body)
  for (const { key, fingerprint } of secrets) {
    // Not `verify`, which would read the body again for each signature.
    const expected = toHex(await subtle.sign('HMAC', await key(), message))
    if (signatures.some((signature) => isSame(signature, expected))) return await fingerprint()
  }
  return undefined
}

/** Compares two hex texts of one length in constant time. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length
  for (let at = 0; at < expected.length; at += 1) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  }
  return difference === 0
}

function messageOf(timestampSeconds: number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = encoder.encode(`${timestampSeconds}.`)
  const message = new Uint8Array(start.length + body.length)
  message.set(start)
  message.set(body, start.length)
  return message
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
