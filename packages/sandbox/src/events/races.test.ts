import type { ApiEvent } from '@feed-receiver/client/internal'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '@feed-receiver/database'
import { drawEvent } from '../seed/draw-event.ts'
import { seededRandom } from '../seed/random.ts'
import { insertEvents } from './publish-event.ts'
import { useSandbox } from '../../test/use-sandbox.ts'

const confirmed = { confirmationState: 'confirmed' } as const

describe('concurrent readers and writers', () => {
  const made = useSandbox({ historyDays: 0, firstCursor: 'replay' })

  // Some writers dawdle between taking their position and committing, so that a higher one would be
  // seen first were it not for the lock; and some change an older event.
  it('lose no event with 16 writers and a reader [R8]', async () => {
    const { sandbox, get } = made()
    const { control } = sandbox
    await control.changeAccount({
      id: 'acct_sandbox',
      burstLimit: 1_000_000,
      usageLimit: 1_000_000,
    })
    const written = new Set<string>()
    let isWriting = true
    const read = new Map<string, number>()

    const reading = (async () => {
      let cursor = (await get('/v1/events')).body.nextCursor
      for (;;) {
        const wasWriting = isWriting
        const { body } = await get(`/v1/events?limit=200&cursor=${cursor}`)
        for (const { id } of body.data as ApiEvent[]) read.set(id, (read.get(id) ?? 0) + 1)
        cursor = body.nextCursor
        if (!wasWriting && !body.hasMore) return
      }
    })()
    const database = openDatabase(made().options.database, { maxConnections: 16 })
    const random = seededRandom('writers')
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let index = 0; index < 12; index += 1) {
        const id = `w${writer}-${index}`
        const event = {
          ...drawEvent(random, { type: 'cli_update', at: new Date() }),
          ...confirmed,
          id,
        }
        await database.tx(async (tx) => {
          await insertEvents(tx, [{ event, change: 'observed' }], true)
          if (writer % 4 === 0) await tx.query('select pg_sleep(0.03)')
        })
        written.add(id)
        if (index % 4 !== 3) continue
        await control.changeEvent({ to: 'retract', id: `w${writer}-${index - 2}` })
      }
    })
    await Promise.all(writers)
    isWriting = false
    await reading
    await database.close()

    expect([...written].filter((id) => !read.has(id))).toEqual([])
    expect(read.size).toBe(16 * 12)
  })

  it('number the steps of an incident without gaps or duplicates [R43]', async () => {
    const { control } = made().sandbox
    const draft = { providerSlug: 'tessera' }
    await control.composeEvent({ ...draft, eventType: 'outage_started' })
    const steps = await Promise.all(
      Array.from({ length: 8 }, () =>
        control.composeEvent({ ...draft, eventType: 'outage_updated' }),
      ),
    )
    const positions = steps.map(({ incident }) => incident?.sequence)
    expect(positions.toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })
})
