import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCursor, writeCursor, type CursorScope } from './cursor.ts'

const key = randomBytes(32)
const scope: CursorScope = {
  stream: 'events',
  accountId: 'acct_1',
  filters: ['tessera', undefined, 'confirmed'],
}

describe('a cursor', () => {
  it.each([0, 1, 4_294_967_296, 2 ** 48 - 1])('decodes to position %i', (position) => {
    const cursor = writeCursor(key, scope, [position])
    expect(cursor).toMatch(/^[\w-]{32}$/)
    expect(readCursor(key, scope, cursor)).toEqual([position])
  })

  it('decodes to two positions', () => {
    const cursor = writeCursor(key, scope, [2 ** 48 - 1, 7])
    expect(cursor).toMatch(/^[\w-]{40}$/)
    expect(readCursor(key, scope, cursor)).toEqual([2 ** 48 - 1, 7])
    expect(() => readCursor(key, scope, cursor.slice(0, 32))).toThrow('The cursor is not valid.')
  })

  it('is rejected with any bit changed [R99]', () => {
    const bytes = Buffer.from(writeCursor(key, scope, [7]), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const tampered = Buffer.from(bytes)
      tampered.writeUInt8((tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3)
      expect(() => readCursor(key, scope, tampered.toString('base64url'))).toThrow(
        'The cursor is not valid.',
      )
    }
  })

  it('is rejected in any other spelling [R99]', () => {
    // One that has both characters by which the two alphabets differ.
    const cursor = Array.from({ length: 10_000 }, (_, at) => writeCursor(key, scope, [at])).find(
      (one) => one.includes('-') && one.includes('_'),
    )
    if (!cursor) throw new Error('10,000 cursors, and none has both a - and a _')
    const others = [
      cursor.replaceAll('-', '+').replaceAll('_', '/'),
      cursor.replace('-', '+'),
      `${cursor}=`,
      `${cursor}==`,
      `${cursor}A`,
      ` ${cursor}`,
      `${cursor}\n`,
      `${cursor.slice(0, 20)}.${cursor.slice(20)}`,
      cursor.slice(0, -1),
      cursor.toUpperCase(),
      cursor.repeat(2),
      '',
      'A'.repeat(65_536),
      `${cursor}${' '.repeat(65_536)}`,
    ]
    for (const other of others)
      expect(() => readCursor(key, scope, other)).toThrow('The cursor is not valid.')
  })

  it.each<[string, Partial<CursorScope>]>([
    ['another stream', { stream: 'account-events' }],
    ['another account', { accountId: 'acct_2' }],
    ['another filter', { filters: ['tessera', undefined, 'all'] }],
    ['a filter at another position', { filters: [undefined, 'tessera', 'confirmed'] }],
    ['no filter', { filters: [] }],
  ])('is rejected for %s', (_, other) => {
    const cursor = writeCursor(key, scope, [7])
    expect(() => readCursor(key, { ...scope, ...other }, cursor)).toThrow(
      'The cursor is not valid.',
    )
  })

  it('is rejected by another sandbox', () => {
    expect(() => readCursor(randomBytes(32), scope, writeCursor(key, scope, [7]))).toThrow(
      'The cursor is not valid.',
    )
  })
})
