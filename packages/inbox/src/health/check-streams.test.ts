import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

const holder = 'poller'

describe('the health while a stream is suspended', () => {
  const database = useDatabase('postgres', 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database(), onError: () => {} })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  const streams = async () => {
    const { problems } = await inbox.health()
    return problems.map(({ message }) => /nothing of (\w+)/.exec(message)?.[1])
  }
  /** A round of a poller that may send no request. */
  const poll = async (stream: string, code: string, waitUntil: Date | null = null) => {
    await inbox.streams.take(stream, { holder, leaseMs: 60_000 })
    await inbox.streams.note(stream, holder, { phase: 'suspended', code, waitUntil })
    await inbox.streams.release(stream, holder)
  }
  const pass = (stream: string, hours: number) =>
    database().query(
      `update feed_inbox.poll_stream set started_at = started_at - $2 * interval '1 hour',
         polled_at = polled_at - $2 * interval '1 hour',
         lease_until = lease_until - $2 * interval '1 hour',
         wait_until = wait_until - $2 * interval '1 hour'
       where stream = $1`,
      [stream, hours],
    )
  const forget = () => database().query('delete from feed_inbox.poll_stream')

  it.each<[string, () => Date | null]>([
    ['unauthorized', () => null],
    ['forbidden', () => new Date(Date.now() + 3_600_000)],
    ['bad_page', () => new Date(Date.now() + 3_600_000)],
  ])(
    'has a problem while its poller tries again after %s, and no longer than a day after',
    async (code, next) => {
      await forget()
      await poll('one', code, next())
      await pass('one', 400)
      await poll('one', code, next())
      expect(await streams()).toEqual(['one'])
      await pass('one', 20)
      expect(await streams()).toEqual(['one'])
      await pass('one', 20)
      expect(await streams()).toEqual([])
    },
  )

  it('has a problem with a wrong filter until another filter has begun a stream', async () => {
    await forget()
    await inbox.acceptPage([], { stream: 'earlier', cursor: 'next' })
    await poll('wrong', 'invalid_request')
    await pass('wrong', 400)
    await pass('earlier', 800)
    const { problems } = await inbox.health()
    expect(problems).toMatchObject([
      {
        message: expect.stringMatching(
          /If you have removed .* where source = 'feed' and stream = 'wrong'/,
        ),
      },
    ])
    await inbox.acceptPage([], { stream: 'right', cursor: 'next' })
    expect(await streams()).toEqual([])
  })

  it('has a problem with a wrong filter while its poller runs, although another one joins', async () => {
    await forget()
    await poll('wrong', 'invalid_request')
    await pass('wrong', 1)
    await inbox.acceptPage([], { stream: 'joined', cursor: 'next' })
    expect(await streams()).toEqual([])
    await poll('wrong', 'invalid_request')
    expect(await streams()).toEqual(['wrong'])
    await pass('wrong', 0.1)
    expect(await streams()).toEqual([])
  })

  it('says that the poller retries by itself after an answer that it cannot use', async () => {
    await forget()
    await poll('one', 'bad_page', new Date(Date.now() + 3_600_000))
    const { problems } = await inbox.health()
    expect(problems).toMatchObject([
      { message: expect.stringMatching(/\(bad_page\).*tries again each hour/) },
    ])
  })

  it('warns of a stream that no poller reads, until a newer one begins', async () => {
    await forget()
    const silent = async () => {
      const { ok, warnings } = await inbox.health()
      const found = warnings.filter(({ code }) => code === 'pull_silent')
      return [ok, ...found.map(({ message }) => /has read (\w+) since/.exec(message)?.[1])]
    }
    await inbox.acceptPage([], { stream: 'left', cursor: 'next' })
    expect(await silent()).toEqual([true])
    await pass('left', 2)
    expect(await silent()).toEqual([true, 'left'])
    await inbox.streams.take('left', { holder, leaseMs: 60_000 })
    const waitUntil = new Date(Date.now() + 3_600_000)
    await inbox.streams.note('left', holder, { phase: 'waiting', code: 'rate_limited', waitUntil })
    expect(await silent()).toEqual([true])
    await pass('left', 3)
    expect(await silent()).toEqual([true, 'left'])
    await inbox.acceptPage([], { stream: 'other', cursor: 'next' })
    expect(await silent()).toEqual([true])
  })

  it('warns of a stream whose next poll has been due for an hour, until a newer one begins', async () => {
    await forget()
    const isSilent = async () =>
      (await inbox.health()).warnings.some(({ code }) => code === 'pull_silent')
    const nextAt = new Date(Date.now() + 6 * 3_600_000)
    await inbox.acceptPage([], { stream: 'rare', cursor: 'next', nextAt })
    // A reread does not change when it is due.
    await inbox.acceptPage([], { stream: 'rare', isReread: true })
    await pass('rare', 6.9)
    expect(await isSilent()).toBe(false)
    await pass('rare', 0.2)
    expect(await isSilent()).toBe(true)

    // Another poller replaces it before its next poll.
    await forget()
    await inbox.acceptPage([], { stream: 'rare', cursor: 'next', nextAt })
    await inbox.acceptPage([], { stream: 'other', cursor: 'next', nextAt })
    await pass('rare', 8)
    await pass('other', 6.5)
    expect(await isSilent()).toBe(false)
  })
})
