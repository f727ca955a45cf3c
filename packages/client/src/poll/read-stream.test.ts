import { createInbox } from '@feed-receiver/inbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { makeEvent } from '../../test/make-event.ts'
import { serveFeed } from '../../test/serve-feed.ts'
import { createClient, createPoller, type PollInbox } from '../index.ts'

const ids = Array.from({ length: 850 }, (_, at) => `evt_${at + 1}`)
/** The head comes first; its cursor then leads through all events, oldest first. */
const inOrder = [...ids.slice(-50), ...ids.slice(0, -50)]

describe('while a poller stores a page, the next one', () => {
  const database = useDatabase('postgres', 'inbox')
  let sources = 0

  /** A poller that is storing its third page, with the answer to its fourth request. */
  async function holdThirdPage(fourthAnswer?: Response) {
    const feed = await serveFeed({ firstCursor: 'replay' })
    for (const [at] of ids.entries()) feed.publish(makeEvent(at + 1))
    sources += 1
    const inbox = createInbox({ database: database(), source: `ahead-${sources}` })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    const counts = { answered: 0, begun: 0, stored: 0, mostAtOnce: 0 }
    let goOn: (failure?: Error) => void = () => {}
    const held = new Promise<Error | undefined>((resolve) => (goOn = resolve))
    const watched: PollInbox = {
      ...inbox,
      async acceptPage(events, progress) {
        counts.begun += 1
        const failure = counts.begun === 3 ? await held : undefined
        if (failure) throw failure
        const page = await inbox.acceptPage(events, progress)
        counts.stored += 1
        return page
      },
    }
    const codes: string[] = []
    const poller = createPoller({
      client: createClient({
        baseUrl: feed.baseUrl,
        apiKey: 'feed_live_good',
        async fetch(...request) {
          const answer = await fetch(...request)
          counts.answered += 1
          counts.mostAtOnce = Math.max(counts.mostAtOnce, counts.answered - counts.stored)
          return (counts.answered === 4 ? fourthAnswer : undefined) ?? answer
        },
      }),
      inbox: watched,
      onAlert: ({ code }) => codes.push(code),
    })
    onTestFinished(() => poller.stop())
    const round = poller.poll()
    round.catch(() => {})
    await expect.poll(() => counts.begun).toBe(3)
    await expect.poll(() => counts.answered).toBe(4)

    async function idsStored(): Promise<string[]> {
      const { rows } = await database().query<{ id: string }>(
        'select event_id as id from feed_inbox.entry where source = $1 order by received_at',
        [inbox.source],
      )
      return rows.map(({ id }) => id)
    }
    return { feed, inbox, counts, codes, poller, round, goOn, idsStored }
  }

  const rejection = (status: number, headers: Record<string, string> = {}) =>
    Response.json({ error: 'For people.', code: 'invalid_request' }, { status, headers })

  it('is requested, and stored after it [R116]', async () => {
    const { counts, round, goOn, idsStored } = await holdThirdPage()
    expect(await idsStored()).toEqual(inOrder.slice(0, 250))
    goOn()
    expect(await round).toMatchObject({ outcome: 'caught_up', pages: 6, stored: 800 + 50 })
    expect(await idsStored()).toEqual(inOrder)
    // The page being stored, and no more than one ahead of it.
    expect(counts).toMatchObject({ answered: 6, stored: 6, mostAtOnce: 2 })
  })

  it('is dropped if storing fails, and read again later [R116]', async () => {
    const { counts, poller, round, goOn, idsStored } = await holdThirdPage()
    goOn(new Error('away'))
    await expect(round).rejects.toThrow('away')
    expect(counts).toMatchObject({ begun: 3, stored: 2 })
    expect(await idsStored()).toEqual(inOrder.slice(0, 250))
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', stored: 600 })
    expect(await idsStored()).toEqual(inOrder)
  })

  it('is dropped if another process has taken the lease', async () => {
    const { inbox, counts, poller, round, goOn, idsStored } = await holdThirdPage()
    await database().query(
      `update feed_inbox.poll_stream set lease_holder = 'other' where source = $1`,
      [inbox.source],
    )
    goOn()
    expect(await round).toMatchObject({ outcome: 'elsewhere' })
    expect(counts).toMatchObject({ begun: 3, stored: 2 })
    expect(await idsStored()).toEqual(inOrder.slice(0, 250))
    await inbox.streams.release(poller.stream, 'other')
    expect(await poller.poll()).toMatchObject({ outcome: 'caught_up', stored: 600 })
  })

  it('may have a rejected cursor, and the current page is still stored', async () => {
    const { inbox, codes, round, goOn, idsStored } = await holdThirdPage(rejection(400))
    expect(codes).toEqual([])
    goOn()
    expect(await round).toMatchObject({ outcome: 'caught_up', stored: 850 })
    expect(codes).toEqual(['cursor_lost'])
    expect(await inbox.gaps.streams()).toHaveLength(1)
    expect((await idsStored()).slice(0, 450)).toEqual(inOrder.slice(0, 450))
    expect((await idsStored()).toSorted()).toEqual(ids.toSorted())
  })

  it('may have to wait for a rate limit', async () => {
    const wait = { 'retry-after': '60', 'x-ratelimit-scope': 'burst' }
    const { feed, poller, round, goOn, idsStored } = await holdThirdPage(rejection(429, wait))
    goOn()
    expect(await round).toMatchObject({ outcome: 'waiting', code: 'rate_limited', pages: 3 })
    expect(await idsStored()).toEqual(inOrder.slice(0, 450))
    expect(await poller.poll()).toMatchObject({ outcome: 'waiting', pages: 0 })
    expect(feed.requests).toHaveLength(4)
  })

  it('is stored completely or not at all if the poller stops', async () => {
    const { counts, poller, round, goOn, idsStored } = await holdThirdPage()
    const stopped = poller.stop()
    goOn()
    await stopped
    await expect(round).rejects.toThrow('aborted')
    expect(counts.stored).toBe(counts.begun)
    const before = await idsStored()
    expect(before).toEqual(inOrder.slice(0, 50 + 200 * (counts.stored - 1)))
    expect(await poller.poll()).toMatchObject({ stored: 850 - before.length })
    expect(await idsStored()).toEqual(inOrder)
  })
})
