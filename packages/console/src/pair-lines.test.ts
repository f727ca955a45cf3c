import { expect, it } from 'vitest'
import { leaveOutEqual, pairLines } from '../page/src/pair-lines.ts'

it('puts equal lines side by side, and added lines beside removed ones', () => {
  const left = ['{', 'a', 'b', 'same', 'c', '}']
  const right = ['{', 'x', 'same', 'y', 'z', '}']
  expect(pairLines(left, right)).toEqual([
    ['{', '{'],
    ['a', 'x'],
    ['b', null],
    ['same', 'same'],
    ['c', 'y'],
    [null, 'z'],
    ['}', '}'],
  ])
})

it('pairs a thousand differing lines, and others around an equal one', () => {
  const lines = (count: number, of: string) => Array.from({ length: count }, (_, n) => of + n)
  const [left, right] = [lines(1_000, 'left'), lines(1_000, 'right')]
  expect(pairLines(left, right)).toEqual(left.map((line, n) => [line, right[n]]))
  const [ours, theirs] = [left.with(500, 'same'), right.with(500, 'same')]
  expect(pairLines(ours, theirs)).toEqual(ours.map((line, n) => [line, theirs[n]]))
})

it('leaves out equal lines except two around a difference', () => {
  const left = ['1', '2', '3', '4', '5', '6', '7', '8']
  expect(leaveOutEqual(pairLines(left, left.with(4, 'x')))).toEqual([
    2,
    ['3', '3'],
    ['4', '4'],
    ['5', 'x'],
    ['6', '6'],
    ['7', '7'],
    1,
  ])
})
