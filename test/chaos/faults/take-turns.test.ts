import { expect, it } from 'vitest'
import { takeTurns } from './take-turns.ts'

/** Each is named after the things that it holds: `ab` holds a and b. */
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

it('runs items that hold different things concurrently', async () => {
  expect(await order('a', 'b')).toEqual(['+a', '+b', '-a', '-b'])
})

it('runs items that hold the same thing in sequence', async () => {
  expect(await order('a', 'a')).toEqual(['+a', '-a', '+a', '-a'])
})

it('lets items overtake, but not the one that waits longest', async () => {
  const log = await order('a', 'ab', 'b', 'c', 'a')
  expect(log.indexOf('+c')).toBeLessThan(log.indexOf('+ab'))
  expect(log.indexOf('+ab')).toBeLessThan(log.indexOf('+b'))
  expect(log.indexOf('-ab')).toBeLessThan(log.lastIndexOf('+a'))
})

it('runs every fault', async () => {
  const items = Array.from({ length: 100 }, (_, index) => 'abcd'.slice(index % 4, 4))
  expect(await order(...items)).toHaveLength(200)
})
