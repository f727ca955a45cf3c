import { describe, expect, it } from 'vitest'
import { bodyVectors } from '../../../../test/contract/vectors/read-vectors.ts'
import { literalOf, literalOfBytes, quote } from './literal.ts'

const hostile = [
  `*/ throw new Error('out') /*`,
  '`${process.exit(1)}`',
  `'"\\'"\\\\'`,
  'line\u2028end\u2029end\r\nend',
  '</script><!--',
  '\u202Ereversed\u2066\uFEFF\u{E0041}',
  '\uD800 half \uDC00',
  '\0\u0007\u007F\u009B',
]

describe('a literal', () => {
  it.each(hostile)('evaluates to %j', (text) => {
    expect(evaluate(quote(text))).toBe(text)
    const value = { [text]: [text, { text }] }
    expect(evaluate(literalOf(value))).toEqual(value)
  })

  it.each(hostile)('is one line that shows its content: %j', (text) => {
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(quote(text)).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069\uFEFF]/)
    expect(quote(text)).not.toContain('</script')
  })

  it('keeps members that would set a prototype as its own', () => {
    const value: unknown = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":1}')
    const evaluated = evaluate(literalOf(value))
    expect(evaluated).toEqual(value)
    expect(Object.keys(Object(evaluated))).toEqual(['__proto__', 'constructor'])
  })

  it('is read from JSON if it is deeply nested', () => {
    const value: unknown = JSON.parse(`${'['.repeat(500)}"'"${']'.repeat(500)}`)
    expect(literalOf(value)).toMatch(/^JSON\.parse\(/)
    expect(evaluate(literalOf(value))).toEqual(value)
  })

  it('breaks long lines', () => {
    const value = { list: [1, 2], texts: { one: 'a'.repeat(60), other: 'b'.repeat(60) } }
    expect(literalOf(value, 2)).toBe(
      [
        '{',
        '    list: [1, 2],',
        '    texts: {',
        `      one: '${'a'.repeat(60)}',`,
        `      other: '${'b'.repeat(60)}',`,
        '    },',
        '  }',
      ].join('\n'),
    )
  })

  it.each(bodyVectors())('returns the bytes of a body: $says', ({ body }) => {
    expect(bytesOf(literalOfBytes(body, 0))).toEqual(Buffer.from(body))
  })

  it.each([
    '{"a": 1}',
    '{"a":1.0}',
    '{"a":-0}',
    '{"a":1e400}',
    '{"a":9007199254740993}',
    '{"a":1,"a":2}',
    '{"2":1,"1":2}',
    '{"a":"\\u0041"}',
    '\uFEFF{}',
  ])('is Base64 if JSON would change the bytes: %s', (text) => {
    const literal = literalOfBytes(Buffer.from(text), 0)
    expect(literal).toHaveProperty('base64')
    expect(bytesOf(literal).toString()).toBe(text)
  })
})

function evaluate(literal: string): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- a literal is to be read as the compiler reads it
  return new Function(`'use strict'; return ${literal}`)()
}

function bytesOf(literal: ReturnType<typeof literalOfBytes>): Buffer {
  if ('json' in literal) return Buffer.from(JSON.stringify(evaluate(literal.json)))
  return Buffer.from(String(evaluate(literal.base64)), 'base64')
}
