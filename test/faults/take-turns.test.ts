import { expect, it } from 'vitest'
import { takeTurns } from './take-turns.ts'

/** Each is named after what it holds: `ab` holds a and b. */
async function order(...items: string[]): Promise<string[]> {
  const log: string[] = []
  await takeTurns(
    items,
    (item) => item.split(''),
    async (item) => {
      log.push(`+${item}`)
      await new Promise(setImmediate)
      log.push(`-${item}`)
    },
  )
  return log
}

it('runs at once what holds different things', async () => {
  expect(await order('a', 'b')).toEqual(['+a', '+b', '-a', '-b'])
})

it('runs one after the other what holds the same', async () => {
  expect(await order('a', 'a')).toEqual(['+a', '-a', '+a', '-a'])
})

it('lets others pass, but not at the cost of whoever waits longest', async () => {
  const log = await order('a', 'ab', 'b', 'c', 'a')
  expect(log.indexOf('+c')).toBeLessThan(log.indexOf('+ab'))
  expect(log.indexOf('+ab')).toBeLessThan(log.indexOf('+b'))
  expect(log.indexOf('-ab')).toBeLessThan(log.lastIndexOf('+a'))
})

it('runs everything', async () => {
  const items = Array.from({ length: 100 }, (_, index) => 'abcd'.slice(index % 4, 4))
  expect(await order(...items)).toHaveLength(200)
})
