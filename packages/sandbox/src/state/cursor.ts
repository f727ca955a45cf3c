import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** What a cursor is good for: it is refused anywhere else. */
export interface CursorScope {
  stream: 'events' | 'account-events' | 'deprecations'
  accountId: string
  /** The filters of the request, in a fixed order. */
  filters: readonly (string | undefined)[]
}

/** Spells one position, or two, as an opaque text of 56 characters, or of 64. */
export function writeCursor(
  key: Buffer,
  scope: CursorScope,
  positions: readonly [number, number?],
): string {
  const given = positions.filter((position) => position !== undefined)
  const content = Buffer.alloc(1 + given.length * positionBytes + scopeBytes)
  content.writeUInt8(version)
  for (const [at, position] of given.entries()) {
    content.writeUIntBE(position, 1 + at * positionBytes, positionBytes)
  }
  scopeHash(scope).copy(content, content.length - scopeBytes)
  return Buffer.concat([content, sign(key, content)]).toString('base64url')
}

/** The positions, or undefined where this exact text was not written here for this scope. */
export function readCursor(
  key: Buffer,
  scope: CursorScope,
  cursor: string,
): [number, number?] | undefined {
  // Buffer.from ignores what is not base64url, so one cursor would have many spellings. The length is
  // a multiple of three, so that no bits are left over to spell it otherwise.
  if (!/^(?:[A-Za-z0-9_-]{56}|[A-Za-z0-9_-]{64})$/.test(cursor)) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  const content = bytes.subarray(0, -signatureBytes)
  if (!timingSafeEqual(bytes.subarray(-signatureBytes), sign(key, content))) return undefined
  if (content[0] !== version || !content.subarray(-scopeBytes).equals(scopeHash(scope))) {
    return undefined
  }
  const first = content.readUIntBE(1, positionBytes)
  const hasSecond = content.length > 1 + positionBytes + scopeBytes
  return hasSecond ? [first, content.readUIntBE(1 + positionBytes, positionBytes)] : [first]
}

const version = 1
const positionBytes = 6
const scopeBytes = 19
const signatureBytes = 16

function sign(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, signatureBytes)
}

function scopeHash({ stream, accountId, filters }: CursorScope): Buffer {
  const text = JSON.stringify([stream, accountId, filters.map((filter) => filter ?? null)])
  return hash('sha256', text, 'buffer').subarray(0, scopeBytes)
}
