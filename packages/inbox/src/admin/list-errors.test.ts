import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { until } from '../../../../test/support/until.ts'
import { createInbox, Permanent, type Inbox } from '../index.ts'

const secret = 'postgres://app:hunter22@db/app'

describeOnEach('the errors of entries on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await store('refused', 3, 'refused')
    await store('slow', 2, 'slow')
    await store('secret', 1, 'refused')
    await inbox.work({
      '*': ({ id, type }) => {
        if (id.startsWith('secret')) throw new Permanent(`Cannot log in to ${secret}.`)
        if (id === 'slow-2') throw new Error(`The index refused ${id} (503).`)
        throw new Permanent(`The index refused ${id} (422).\nRead its log, for ${type}.`)
      },
    })
    await until('all have failed', async () => {
      const [dead, failing] = await Promise.all([count('dead'), count('failing')])
      return dead === 5 && failing === 1
    })
    await inbox.pause({ reason: 'So that nothing runs again.' })
  })
  afterAll(() => inbox.stop())

  it('are grouped regardless of ids and numbers, the most frequent first', embedded, async () => {
    const [most, other, ...more] = await inbox.entries.errors()
    expect(most).toEqual({
      error: expect.stringMatching(/^[0-9a-f]{16}$/),
      message: expect.stringMatching(/^The index refused (?:refused|slow)-\d \(\d{3}\)\.$/),
      dead: { count: 4, isExact: true },
      failing: { count: 1, isExact: true },
      types: ['refused', 'slow'],
    })
    expect(other).toMatchObject({ dead: { count: 1 }, failing: { count: 0 }, types: ['refused'] })
    expect(other?.message).toMatch(/^Cannot log in to postgres:/)
    expect(JSON.stringify(other)).not.toContain('hunter22')
    expect(more).toEqual([])
  })

  it('select their entries, dead and failing ones or either', embedded, async () => {
    const error = (await inbox.entries.errors())[0]?.error
    const countOf = async (filter: object) =>
      (await inbox.entries.count({ error, ...filter })).count
    expect(await countOf({})).toBe(5)
    expect(await countOf({ state: 'dead' })).toBe(4)
    expect(await countOf({ state: 'failing' })).toBe(1)
    expect(await countOf({ type: 'slow' })).toBe(2)
    expect((await inbox.entries.list({ error })).entries).toHaveLength(5)
    expect(await countOf({ error: 'unknown' })).toBe(0)
    await expect(countOf({ state: 'done' })).rejects.toMatchObject({ code: 'bad_option' })
  })

  it('retry their entries together', embedded, async () => {
    const error = (await inbox.entries.errors())[0]?.error
    const filter = { error }
    expect(await inbox.entries.retry({ filter }, { dryRun: true })).toBe(5)
    expect(await inbox.entries.count({ state: 'dead' })).toMatchObject({ count: 5 })
    const seen: number[] = []
    expect(await inbox.entries.retry({ filter }, { onProgress: (n) => seen.push(n) })).toBe(5)
    expect(seen.at(-1)).toBe(5)
    expect(await inbox.entries.count({ state: 'dead' })).toMatchObject({ count: 1 })
  })

  async function count(state: 'dead' | 'failing'): Promise<number> {
    return (await inbox.entries.count({ state })).count
  }

  async function store(name: string, entries: number, type: string): Promise<void> {
    for (let number = 1; number <= entries; number += 1) {
      await inbox.accept(deliveryOf(makeEvent({ id: `${name}-${number}`, type })))
    }
  }
})
