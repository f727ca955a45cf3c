import { expect, it } from 'vitest'
import { fitLine } from './fit-line.ts'

it.each([
  ['模型发布', 8, '模型发布'],
  ['模型发布', 7, '模型发…'],
  ['模型发布', 6, '模型…'],
  ['an 🙂 and more', 5, 'an …'],
  ['an 🙂 and more', 6, 'an 🙂…'],
  ['short', undefined, 'short'],
])('fits %s into %s columns', (line, columns, fitted) => {
  expect(fitLine(line, columns, '…')).toBe(fitted)
})
