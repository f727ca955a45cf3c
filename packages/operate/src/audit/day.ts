import { createHash } from 'node:crypto'

/** The head before the first day, in hex. */
export const firstHead = '0'.repeat(64)

const dayMs = 86_400_000

/**
 * The head of a day, in hex: `sha256(head of the day before || day || count || digest)`, with the
 * day as 10 characters and the count as 8 bytes.
 */
export function headOf(previous: string, day: string, count: number, digest: string): string {
  const counted = Buffer.alloc(8)
  counted.writeBigInt64BE(BigInt(count))
  return createHash('sha256')
    .update(Buffer.from(previous, 'hex'))
    .update(day)
    .update(counted)
    .update(Buffer.from(digest, 'hex'))
    .digest('hex')
}

/** The day that follows or, with a negative number, precedes one: `2026-11-30` to `2026-12-01`. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}
