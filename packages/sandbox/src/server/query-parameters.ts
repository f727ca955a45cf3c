import { z } from 'zod'
import { readCursor, type CursorScope } from '../state/cursor.ts'
import { Rejection } from './rejections.ts'

/** The form of a provider or a type. Whether it exists is not checked. */
export const slug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'expected 1 to 64 of a-z, 0-9, ".", "_" and "-"')

/** A page size. A value out of range is rejected, not capped. */
export function pageSize(max: number) {
  return z
    .string()
    .regex(/^[1-9]\d{0,5}$/, `expected a whole number from 1 to ${max}`)
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(50)
}

export const cursorParameter = z
  .string()
  .min(1)
  .max(2000)
  .optional()
  .describe('The nextCursor of an earlier page, unchanged, with the same filters and account.')

/** The positions in a cursor. @throws Rejection `bad_cursor` if it is not one of this scope */
export function positionsOf(key: Buffer, scope: CursorScope, cursor: string): [number, number?] {
  const positions = readCursor(key, scope, cursor)
  if (!positions) throw new Rejection('bad_cursor')
  return positions
}
