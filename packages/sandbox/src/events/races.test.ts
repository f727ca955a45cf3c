import type { ApiEvent } from '@feed-receiver/core/api'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'

describe('readers and writers at once', () => {
  const made = useSandbox({ historyDays: 0, firstCursor: 'replay' })

  // Each writer publishes in transactions of its own, some of which change an older event, so that
  // positions are taken by one while another has not committed yet.
  it('lose nothing with 16 writers and a reader', async () => {
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
        const { body } = await get(`/v1/events?limit=7&cursor=${cursor}`)
        for (const { id } of body.data as ApiEvent[]) read.set(id, (read.get(id) ?? 0) + 1)
        cursor = body.nextCursor
        if (!wasWriting && !body.hasMore) return
      }
    })()
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      for (let event = 0; event < 12; event += 1) {
        const id = `w${writer}-${event}`
        await control.composeEvent({ id })
        written.add(id)
        if (event % 4 === 3)
          await control.changeEvent({ to: 'retract', id: `w${writer}-${event - 2}` })
      }
    })
    await Promise.all(writers)
    isWriting = false
    await reading

    expect([...written].filter((id) => !read.has(id))).toEqual([])
    expect(read.size).toBe(16 * 12)
  })

  it('number the steps of an incident without gaps or repeats', async () => {
    const { control } = made().sandbox
    const draft = { providerSlug: 'tessera' }
    await control.composeEvent({ ...draft, eventType: 'outage_started' })
    const steps = await Promise.all(
      Array.from({ length: 8 }, () =>
        control.composeEvent({ ...draft, eventType: 'outage_updated' }),
      ),
    )
    const places = steps.map(({ incident }) => incident?.sequence)
    expect(places.toSorted()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })
})
