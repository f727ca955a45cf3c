/** The header with which `feed-receiver check` and `doctor` mark their deliveries. */
export const checkHeader = 'feed-receiver-check'

const prefix = new TextEncoder().encode('check.')

/**
 * The bytes that a mark signs, in the form of `Feed-Signature`. Only a holder of the secret can make
 * one, and the signature of a delivery does not pass for one: the service signs no such bytes.
 */
export function checkBytes(body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(prefix.length + body.length)
  bytes.set(prefix)
  bytes.set(body, prefix.length)
  return bytes
}
