import { expect, it } from 'vitest'
import { createPagedList } from '../../page/src/paged-list.ts'

/** A list on a server, which counts the rows that were read. */
function makeList(length: number) {
  const stored = Array.from({ length }, (_, id) => ({ id, state: 'new' })).toReversed()
  const server = { stored, readCount: 0 }
  const list = createPagedList(async (limit, after) => {
    const from = after === undefined ? 0 : stored.findIndex(({ id }) => id === after) + 1
    const rows = structuredClone(stored.slice(from, from + limit))
    server.readCount += rows.length
    const isLast = from + limit >= stored.length
    return { rows, next: isLast ? null : (rows.at(-1)?.id ?? null) }
  })
  const arrive = (count: number) => {
    for (let i = 0; i < count; i += 1) stored.unshift({ id: stored.length, state: 'new' })
  }
  const ids = () => [...list.rows.keys()].toSorted((a, b) => b - a)
  return { list, server, arrive, ids }
}

it('reads the newest rows, and older ones when asked', async () => {
  const { list, ids } = makeList(700)
  expect(await list.loadOlder()).toBe(false)
  expect((await list.poll()).map(({ id }) => id)).toEqual(ids())
  expect(ids()).toHaveLength(100)
  expect(await list.loadOlder()).toBe(true)
  expect(await list.loadOlder()).toBe(true)
  expect(ids()).toHaveLength(700)
  expect(await list.loadOlder()).toBe(false)
})

it('finds every row that arrived while nothing was polled', async () => {
  const { list, server, arrive, ids } = makeList(300)
  await list.poll()
  arrive(450)
  for (let polls = 0; polls < 5; polls += 1) await list.poll()
  expect(ids()).toEqual(server.stored.slice(0, 550).map(({ id }) => id))
  for (let polls = 0; polls < 10; polls += 1) await list.poll()
  expect(ids()).toHaveLength(550)
})

it('sees changes of older rows', async () => {
  const { list, server } = makeList(700)
  await list.poll()
  await list.loadOlder()
  const { version } = list
  const changed = server.stored[599]
  if (changed) changed.state = 'done'
  for (let polls = 0; polls < 6; polls += 1) await list.poll()
  expect(list.rows.get(changed?.id ?? 0)).toEqual({ id: 100, state: 'done' })
  expect(list.version).toBe(version + 1)
})

it('reads no more than a page if it knows no more', async () => {
  const { list, server } = makeList(300)
  for (let polls = 0; polls < 3; polls += 1) await list.poll()
  expect(server.readCount).toBe(300)
})
