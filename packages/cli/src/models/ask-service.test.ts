import { ClientError } from '@feed-receiver/client'
import { expect, it } from 'vitest'
import { waitForMinute } from './ask-service.ts'

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
