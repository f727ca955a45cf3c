import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a cursor is good for: it is refused anywhere else. */
export interface CursorScope {
  stream: 'events' | 'account-events' | 'deprecations'
  accountId: string
  /** The filters of the request, in a fixed order. */
  filters: readonly (string | undefined)[]
}

/** Spells one position, or two, as an opaque text of 32 characters, or of 40. */
export function writeCursor(
  key: Buffer,
  scope: CursorScope,
  positions: readonly [number, number?],
): string {
  const given = positions.filter((position) => position !== undefined)
  const content = Buffer.alloc(headerBytes + given.length * positionBytes)
  content.writeUInt8(version, 0)
  content.writeUInt8(given.length, 1)
  for (const [at, position] of given.entries()) {
    content.writeUIntBE(position, headerBytes + at * positionBytes, positionBytes)
  }
  return Buffer.concat([content, sign(key, scope, content)]).toString('base64url')
}

/** The positions, or undefined where this exact text was not written here for this scope. */
export function readCursor(
  key: Buffer,
  scope: CursorScope,
  cursor: string,
): [number, number?] | undefined {
  // Buffer.from ignores what is not base64url, so one cursor would have many spellings. The length is
  // a multiple of three, so that no bits are left over to spell it otherwise.
  if (!/^(?:[A-Za-z0-9_-]{32}|[A-Za-z0-9_-]{40})$/.test(cursor)) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  const content = bytes.subarray(0, -signatureBytes)
  const signature = bytes.subarray(-signatureBytes)
  if (!timingSafeEqual(signature, sign(key, scope, content))) return undefined
  // Signed here, it has as many positions as it says; a cursor of another version may mean others.
  if (content[0] !== version) return undefined
  const first = content.readUIntBE(headerBytes, positionBytes)
  if (content[1] === 1) return [first]
  return [first, content.readUIntBE(headerBytes + positionBytes, positionBytes)]
}

const version = 2
/** The version, and how many positions follow. */
const headerBytes = 2
const positionBytes = 6
const signatureBytes = 16

// The scope is signed and not written: a cursor is asked for with the scope that it is good for. The
// header says where the content ends and the scope begins, so that no two of them sign the same bytes.
function sign(key: Buffer, { stream, accountId, filters }: CursorScope, content: Buffer): Buffer {
  const scope = JSON.stringify([stream, accountId, filters.map((filter) => filter ?? null)])
  const signature = createHmac('sha256', key).update(content).update(scope).digest()
  return signature.subarray(0, signatureBytes)
}
