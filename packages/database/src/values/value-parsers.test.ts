import { expect, test } from 'vitest'
import { parserFor } from './value-parsers.ts'

/** The oid of text[]. */
const textArray = 1009

test.each([
  ['{}', []],
  ['{a,b}', ['a', 'b']],
  ['{NULL,"NULL",""}', [null, 'NULL', '']],
  [String.raw`{"a\"b","c\\d","e,f","{g}"}`, ['a"b', String.raw`c\d`, 'e,f', '{g}']],
  [
    '{{1,2},{3,NULL}}',
    [
      ['1', '2'],
      ['3', null],
    ],
  ],
  ['[0:1]={a,b}', ['a', 'b']],
  ['{" a ",Zürich 🚲}', [' a ', 'Zürich 🚲']],
])('%s', (text, expected) => {
  expect(parserFor(textArray)(text)).toEqual(expected)
})
