import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** What a cursor is good for: it is refused anywhere else. */
export interface CursorScope {
  stream: 'events' | 'account-events' | 'deprecations'
  accountId: string
  /** The filters of the request, in a fixed order. */
  filters: readonly (string | undefined)[]
}

/** Spells a position as an opaque text of 56 characters. */
export function writeCursor(key: Buffer, scope: CursorScope, position: number): string {
  const content = Buffer.alloc(contentBytes)
  content.writeUInt8(version)
  content.writeUIntBE(position, 1, 6)
  scopeHash(scope).copy(content, 7)
  return Buffer.concat([content, sign(key, content)]).toString('base64url')
}

/** The position, or undefined where this exact text was not written here for this scope. */
export function readCursor(key: Buffer, scope: CursorScope, cursor: string): number | undefined {
  // Buffer.from ignores what is not base64url, so one cursor would have many spellings. The length is
  // a multiple of three, so that no bits are left over to spell it otherwise.
  if (!/^[A-Za-z0-9_-]{56}$/.test(cursor)) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  const content = bytes.subarray(0, contentBytes)
  if (!timingSafeEqual(bytes.subarray(contentBytes), sign(key, content))) return undefined
  const isOurs = content[0] === version && content.subarray(7).equals(scopeHash(scope))
  return isOurs ? content.readUIntBE(1, 6) : undefined
}

const version = 1
const scopeBytes = 19
const contentBytes = 1 + 6 + scopeBytes

function sign(key: Buffer, content: Buffer): Buffer {
  return createHmac('sha256', key).update(content).digest().subarray(0, 16)
}

// A request reads one cursor and writes another in the same scope.
const hashes = new WeakMap<CursorScope, Buffer>()

function scopeHash(scope: CursorScope): Buffer {
  const known = hashes.get(scope)
  if (known) return known
  const { stream, accountId, filters } = scope
  const text = JSON.stringify([stream, accountId, filters.map((filter) => filter ?? null)])
  const made = hash('sha256', text, 'buffer').subarray(0, scopeBytes)
  hashes.set(scope, made)
  return made
}
