import { expect, it } from 'vitest'
import { compare } from '../compare.ts'
import { figureOf } from '../figure.ts'
import { speedTables } from './speed-tables.ts'

const rates = { 'feed-receiver': [100, 110, 120], slow: [50, 55, 60], fast: [200, 220, 240] }
const sizes = { 'feed-receiver': [3, 3, 3], slow: [2, 2, 2], fast: [3, 3, 3] }
const identity = (value: number) => value

it('has a column for each contender, and a row for each measure', () => {
  const text = speedTables([
    ...compare('accept', '/s', rates, identity),
    ...compare('memory', 'MiB', sizes, identity),
  ]).join('\n')
  expect(text).toContain('| Median (middle half) | feed-receiver | slow | fast |')
  expect(text).toContain('| accept, /s | 110 (105 – 115) | 55.0 (52.5 – 57.5) | 220 (210 – 230) |')
  expect(text).toContain('| memory, MiB | 3.00 (3.00 – 3.00) |')
})

it('lists rates that are lower and sizes that are larger as behind', () => {
  const text = speedTables([
    ...compare('accept', '/s', rates, identity),
    ...compare('memory', 'MiB', sizes, identity),
  ]).join('\n')
  expect(text).toContain('- accept (/s): 0.500 times fast\n- memory (MiB): 1.50 times slow')
})

it('lists figures without contenders, and those that miss a goal', () => {
  const full = figureOf('1,000,000 entries to none', '×', [0.8], { atLeast: 0.9 })
  const text = speedTables([full]).join('\n')
  expect(text).toContain('| 1,000,000 entries to none, × | 0.800 (0.800 – 0.800) |')
  expect(text).toContain(
    'behind\nMeasures whose middle half lies on the worse side of the other one.\nNone.',
  )
  expect(text).toContain('### Short of their goals\n- 1,000,000 entries to none')
})
