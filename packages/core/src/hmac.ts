import { hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32
/** Room for most bodies, so that it seldom has to grow. */
const usualBytes = 16_384

/** Makes the HMAC-SHA256 of a text of ASCII and the bytes after it, in hex. */
export type Hmac = (text: string, bytes: Uint8Array) => string

/**
 * Prepares HMAC-SHA256 (RFC 2104) with one key: two hashes, each made at one go. What Node's own
 * `createHmac` makes is an object with a native part for each signature, and to be rid of it again
 * costs a server 3 to 4 µs per delivery. Only the function holds the key, so that nothing that prints
 * an object prints it.
 */
export function prepareHmac(key: string): Hmac {
  const block = Buffer.alloc(blockBytes)
  if (Buffer.byteLength(key) > blockBytes) block.set(hash('sha256', key, 'buffer'))
  else block.write(key)
  let inner = pad(block, 0x36, usualBytes)
  const outer = pad(block, 0x5c, blockBytes + digestBytes)

  return (text, bytes) => {
    const bytesAt = blockBytes + text.length
    const end = bytesAt + bytes.length
    // As large as the largest body so far; a new one each time would cost what this is to save.
    if (inner.length < end) inner = pad(block, 0x36, end)
    inner.write(text, blockBytes, 'latin1')
    inner.set(bytes, bytesAt)
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'binary')
    return hash('sha256', outer, 'hex')
  }
}

// With memory of its own: other ways to make a small buffer share theirs among all of the process.
function pad(block: Uint8Array, byte: number, length: number): Buffer {
  const padded = Buffer.alloc(length)
  for (const [at, value] of block.entries()) padded[at] = value ^ byte
  return padded
}
