import { expect, it } from 'vitest'
import { isLocal } from './values.ts'

it.each([
  ['http://localhost:3000/', true],
  ['http://LOCALHOST./', true],
  ['http://app.localhost.:3000/', true],
  ['http://127.1/', true],
  ['http://[::1]:3000/', true],
  ['http://notlocalhost/', false],
  ['http://localhost.example.com/', false],
  ['http://192.168.1.20/', false],
])('recognizes whether %s is on this machine: %s', (url, expected) => {
  expect(isLocal(new URL(url))).toBe(expected)
})
