import { expect, it } from 'vitest'
import { delimit } from './tool.ts'

it('writes untrusted data on one line between its delimiters, without a change', () => {
  const title = ['A', '\n', '\r', '\u001b[2J', '\u007f', '\u0085', '\u2028', '\u2029', '<b>'].join(
    'x',
  )
  const [begin, json = '', end, ...more] = delimit({ title }).split('\n')
  expect(begin).toMatch(/^<untrusted-[0-9a-f]{16}>$/)
  expect([end, ...more]).toEqual([begin?.replace('<', '</')])
  expect(json).not.toMatch(/[\p{Cc}\u2028\u2029<]/u)
  expect(JSON.parse(json)).toEqual({ title })
})
