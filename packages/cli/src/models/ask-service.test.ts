import { ClientError, createClient } from '@feed-receiver/client'
import { describe, expect, it } from 'vitest'
import { serveMcp } from '../../../client/test/serve-mcp.ts'
import { useSandbox } from '../../../sandbox/test/use-sandbox.ts'
import { askService, waitForMinute } from './ask-service.ts'

const { signal } = new AbortController()
const limitedUntil = (retryAt: Date) =>
  new ClientError('rate_limited', 'The rate limit is used up.', { status: 429, retryAt })

it('asks again at the time at which the limit per minute allows it', async () => {
  const until = new Date(Date.now() + 200)
  const waits: Date[] = []
  const ask = async () => {
    if (Date.now() < until.getTime()) throw limitedUntil(until)
    return 'answer'
  }
  expect(await waitForMinute(ask, { signal, onWait: (one) => waits.push(one) })).toBe('answer')
  expect(new Set(waits)).toEqual(new Set([until]))
})

it('reports an exhausted quota', async () => {
  const error = limitedUntil(new Date(Date.now() + 3_600_000))
  const ask = () => Promise.reject(error)
  await expect(waitForMinute(ask, { signal, onWait: () => {} })).rejects.toBe(error)
})

describe('the list of deprecations', () => {
  const made = useSandbox({ historyDays: 0 })

  it('waits for the limit per minute', async () => {
    const { sandbox, key } = made()
    await sandbox.control.moveClock({ to: 'freeze', at: '2030-01-01T00:00:05Z' })
    await sandbox.control.changeAccount({ id: 'acct_sandbox', burstLimit: 1 })
    const stopped = new AbortController()
    const waits: Date[] = []
    const onWait = (until: Date) => {
      waits.push(until)
      stopped.abort()
    }
    const client = createClient({ baseUrl: sandbox.url, apiKey: key })
    const asked = askService(client, async () => 'listed', { signal: stopped.signal, onWait })
    await expect(asked).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(waits).toHaveLength(1)
  })

  it('ends with an error if the service repeats a cursor', async () => {
    const served = await serveMcp()
    served.answers.set('get_deprecations', { data: [], nextCursor: 'again', hasMore: true })
    const client = createClient({ baseUrl: served.baseUrl, apiKey: 'feed_live_good' })
    const asked = askService(client, async () => 'listed', { signal, onWait: () => {} })
    await expect(asked).rejects.toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('a cursor that this read has already followed'),
    })
  })
})
