import { describe, expect, it } from 'vitest'
import { createGroupCommit, type GroupCommitOptions } from './group-commit.ts'

const options: GroupCommitOptions<string> = {
  maxGroupSize: 3,
  maxGroupBytes: 10,
  bytesOf: (item) => item.length,
  isItemsFault: (error) => error instanceof Error && error.message === 'bad data',
}

describe('group commit', () => {
  it('commits a first item at once, and groups those that arrive meanwhile', async () => {
    const { groups, add } = recording()
    await Promise.all([add('a'), add('b'), add('c'), add('d'), add('e')])
    expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['e']])
  })

  it('limits the bytes of a group, but commits a larger item alone', async () => {
    const { groups, add } = recording()
    const large = 'x'.repeat(11)
    await Promise.all([add('a'), add('12345'), add('12345'), add('6'), add(large), add('b')])
    expect(groups).toEqual([['a'], ['12345', '12345'], ['6'], [large], ['b']])
  })

  it('commits up to maxGroups groups concurrently', async () => {
    const { groups, add } = recording({ maxGroups: 2 })
    await Promise.all([add('a'), add('b'), add('c'), add('d')])
    expect(groups).toEqual([['a'], ['b'], ['c', 'd']])
  })

  it('balances waiting items between concurrent groups', async () => {
    const { groups, add } = recording({ maxGroups: 2, maxGroupSize: 100, maxGroupBytes: 100 })
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(add))
    expect(groups.map(({ length }) => length)).toEqual([1, 1, 4, 2])
  })

  it('commits item by item after a bad item, and rejects only that one', async () => {
    const { add } = recording({}, (items) => {
      if (items.includes('bad')) throw new Error('bad data')
    })
    const results = await Promise.allSettled([add('a'), add('b'), add('bad'), add('c')])
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  it('rejects the whole group if the database fails', async () => {
    const { groups, add } = recording({}, (items) => {
      if (items.length > 1) throw new Error('no connection')
    })
    const results = await Promise.allSettled([add('a'), add('b'), add('c')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(groups).toHaveLength(2)
  })

  it('commits an item that is added just as a group ends', async () => {
    const { groups, add } = recording()
    await add('a')
    for (let depth = 0; depth < 10; depth += 1) {
      await add('b')
      // Each time one microtask closer to the end of the running commit.
      for (let n = 0; n < depth; n += 1) await Promise.resolve()
    }
    expect(groups).toHaveLength(11)
  })

  it('groups items by key, and commits keys concurrently', async () => {
    const { groups, add } = recording({ keyOf: (item) => item.slice(0, 1) })
    await Promise.all([add('a1'), add('a2'), add('b1'), add('a3'), add('b2'), add('b3')])
    expect(groups).toEqual([['a1'], ['b1'], ['a2', 'a3'], ['b2', 'b3']])
    await add('a4')
    expect(groups.at(-1)).toEqual(['a4'])
  })

  it('passes the key of a group to the commit', async () => {
    const { add } = createGroupCommit<string, string>(
      async (items, key) => items.map((item) => `${item} of ${key}`),
      { keyOf: (item) => item.slice(0, 1) },
    )
    expect(await add('a1')).toBe('a1 of a')
  })

  it('commits all waiting items as one group without limits', async () => {
    const sizes: number[] = []
    const { add } = createGroupCommit<number, number>(async (items) => {
      sizes.push(items.length)
      await new Promise((resolve) => setImmediate(resolve))
      return [...items]
    })
    await Promise.all(Array.from({ length: 1000 }, (_value, index) => add(index)))
    expect(sizes).toEqual([1, 999])
  })

  it('rejects the whole group for a bad item by default', async () => {
    const failing = createGroupCommit<string, string>(async (items) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (items.includes('bad')) throw new Error('bad data')
      return [...items]
    })
    const results = await Promise.allSettled(['a', 'bad', 'c'].map(failing.add))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it('resolves drain once all added items are committed', async () => {
    const { groups, add, drain } = recording({ maxGroups: 2 })
    const added = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(add)
    await drain()
    expect(groups.flat()).toHaveLength(7)
    await Promise.all(added)
  })
})

function recording(
  changes: Partial<GroupCommitOptions<string>> = {},
  check: (items: readonly string[]) => void = () => {},
) {
  const groups: string[][] = []
  const { add, drain } = createGroupCommit<string, string>(
    async (items) => {
      groups.push([...items])
      await new Promise((resolve) => setImmediate(resolve))
      check(items)
      return [...items]
    },
    { ...options, ...changes },
  )
  return { groups, add, drain }
}
