import { expect, test } from 'vitest'
import { excerpt } from './attempt.ts'

const secret = 'feed_whsec_a"b c'
const hex = 'ab'.repeat(32)
const hidden = [secret, hex]

test('hides the secret and the signature, complete or cut off', () => {
  const text = `${secret}|t=1,v1=${hex}|${hex}|v1=ABCD|feed_whsec_other`
  expect(excerpt(text, { maxCharacters: 500, hidden })).toBe(
    '[hidden]|t=1,v1=[hidden]|[hidden]|[hidden]|[hidden]',
  )
})

test('hides an API key but not a prefix alone', () => {
  const says =
    'The secret does not begin with feed_whsec_: copy the whole secret. feed_live_ is for keys.'
  expect(excerpt(says, { maxCharacters: 500, hidden })).toBe(says)
  expect(excerpt('sent feed_live_abc', { maxCharacters: 500, hidden })).toBe('sent [hidden]')
})

test('hides the beginning of a secret at the end of a truncated text', () => {
  const text = `${'x'.repeat(100)}${hex.slice(0, 40)}`
  const shown = excerpt(text, { maxCharacters: 500, hidden, isCut: true })
  expect(shown).toBe('x'.repeat(100))
  expect(excerpt('working', { maxCharacters: 500, hidden, isCut: true })).toBe('working')
  expect(excerpt('', { maxCharacters: 500, hidden, isCut: true })).toBe('')
})

test('removes NUL and half surrogate pairs', () => {
  expect(excerpt('a\0b', { maxCharacters: 5, hidden })).toBe('a\uFFFDb')
  expect(excerpt('ab🧪', { maxCharacters: 3, hidden })).toBe('ab')
  expect(excerpt('ab🧪', { maxCharacters: 4, hidden })).toBe('ab🧪')
})
