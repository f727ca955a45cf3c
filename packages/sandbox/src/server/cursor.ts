import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Rejection } from './rejections.ts'

export const cursorParameter = z
  .string()
  .min(1)
  .max(2000)
  .optional()
  .describe('The nextCursor of an earlier page, unchanged, with the same filters and account.')

/** The scope of a cursor. It is rejected in any other one. */
export interface CursorScope {
  stream: 'events' | 'account-events' | 'deprecations'
  accountId: string
  /** The filters of the request, in a fixed order. */
  filters: readonly (string | undefined)[]
}

/** Writes one or two positions as an opaque text of 32 or 40 characters. */
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

/** @throws Rejection `bad_cursor` unless `writeCursor` wrote this exact text for this scope */
export function readCursor(key: Buffer, scope: CursorScope, cursor: string): [number, number?] {
  // Buffer.from ignores characters outside base64url, so one cursor would have many spellings. The
  // number of bytes is a multiple of three, so that no unused bits allow another spelling.
  const isText = /^(?:[A-Za-z0-9_-]{32}|[A-Za-z0-9_-]{40})$/.test(cursor)
  if (!isText) throw new Rejection('bad_cursor')
  const bytes = Buffer.from(cursor, 'base64url')
  const content = bytes.subarray(0, -signatureBytes)
  const signature = bytes.subarray(-signatureBytes)
  const isSigned = timingSafeEqual(signature, sign(key, scope, content))
  // The signature proves that the count of positions is correct. Another version may define them
  // differently.
  if (!isSigned || content[0] !== version) throw new Rejection('bad_cursor')
  const first = content.readUIntBE(headerBytes, positionBytes)
  if (content[1] === 1) return [first]
  return [first, content.readUIntBE(headerBytes + positionBytes, positionBytes)]
}

const version = 2
/** The version, and the number of positions. */
const headerBytes = 2
const positionBytes = 6
const signatureBytes = 16

// The scope is signed but not written, because every request repeats it. The header gives the
// length of the content, so that no two scopes sign the same bytes.
function sign(key: Buffer, { stream, accountId, filters }: CursorScope, content: Buffer): Buffer {
  const scope = JSON.stringify([stream, accountId, filters.map((filter) => filter ?? null)])
  const signature = createHmac('sha256', key).update(content).update(scope).digest()
  return signature.subarray(0, signatureBytes)
}
