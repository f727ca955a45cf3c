import { expect, it } from 'vitest'
import { formatTable } from './format-table.ts'

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
