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
  const content = Buffer.alloc(given.length * positionBytes)
  given.forEach((position, at) => content.writeUIntBE(position, at * positionBytes, positionBytes))
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
  const isSigned = timingSafeEqual(bytes.subarray(-signatureBytes), sign(key, scope, content))
  if (!isSigned) throw new Rejection('bad_cursor')
  const first = content.readUIntBE(0, positionBytes)
  if (content.length === positionBytes) return [first]
  return [first, content.readUIntBE(positionBytes, positionBytes)]
}

const positionBytes = 6
const signatureBytes = 18

/** Of cursors with another meaning of their positions. */
const version = 3

// The version and the scope are signed but not written, because every request repeats the scope.
function sign(key: Buffer, { stream, accountId, filters }: CursorScope, content: Buffer): Buffer {
  const signed = [version, content.toString('hex'), stream, accountId, filters]
  const signature = createHmac('sha256', key).update(JSON.stringify(signed)).digest()
  return signature.subarray(0, signatureBytes)
}
