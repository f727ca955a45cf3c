import { expect, it } from 'vitest'
import { fitLine, formatTable } from './format-table.ts'

it('aligns columns behind titles in Chinese', () => {
  const rows = [
    { title: '模型发布', provider: 'a' },
    { title: 'An outage', provider: 'b' },
  ]
  expect(formatTable(rows)).toEqual(['title      provider', '模型发布   a', 'An outage  b'])
})

it('cuts lines to the columns of a terminal, of which a Chinese character takes two', () => {
  const rows = [{ event: 'evt_1', title: '模型发布' }]
  expect(formatTable(rows, 12)).toEqual(['event  title', 'evt_1  模型'])
})

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
