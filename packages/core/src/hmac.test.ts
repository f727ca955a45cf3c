import { createHmac, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { prepareHmac } from './hmac.ts'

function byNode(key: string, text: string, bytes: Uint8Array): string {
  return createHmac('sha256', key).update(text).update(bytes).digest('hex')
}

describe('prepareHmac', () => {
  it('makes what RFC 4231 gives in its second case', () => {
    expect(prepareHmac('Jefe')('', Buffer.from('what do ya want for nothing?'))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it.each([1, 31, 63, 64, 65, 200])('makes what Node makes with a key of %i bytes', (length) => {
    const key = 'k'.repeat(length)
    const bytes = randomBytes(700)
    expect(prepareHmac(key)('1793000000.', bytes)).toBe(byNode(key, '1793000000.', bytes))
  })

  it('makes what Node makes of bodies of all sizes, whatever came before them', () => {
    const key = 'feed_whsec_ü_0123456789'
    const hmac = prepareHmac(key)
    for (const size of [0, 1, 52, 53, 700, 16_384, 64, 1_048_576, 3, 65_537]) {
      const bytes = randomBytes(size)
      expect(hmac(`${size}.`, bytes)).toBe(byNode(key, `${size}.`, bytes))
    }
  })

  it('shows its key to nobody who prints it', () => {
    const shown = inspect(prepareHmac('feed_whsec_private'), { showHidden: true, depth: 9 })
    expect(shown).not.toMatch(/private|Buffer|[0-9a-f]{8}/)
  })
})
