import { expect, it } from 'vitest'
import { isSameSecret } from './same-secret.node.ts'

it.each([
  ['s3cret', 's3cret', true],
  ['s3cres', 's3cret', false],
  ['s3cre', 's3cret', false],
  ['sécret', 'secret', false],
  ['', '', false],
  [null, '', false],
  [undefined, 's3cret', false],
])('compares %o with %o', (given, expected, isSame) => {
  expect(isSameSecret(given, expected)).toBe(isSame)
})
