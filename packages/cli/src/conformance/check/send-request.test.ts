import { expect, it } from 'vitest'
import { redirectStatuses, serveRedirect } from '../../../../../test/support/serve-redirect.ts'
import { sendRequest } from './send-request.ts'

it.each(redirectStatuses)('does not follow a redirect with %i', async (status) => {
  const { url, received, followed } = await serveRedirect(status)
  const { signal } = new AbortController()
  const headers = { 'Feed-Signature': 't=1,v1=00' }
  const answer = await sendRequest(new URL(url), { headers, body: Buffer.from('{}'), signal })
  expect(answer).toMatchObject({ status })
  expect(received).toMatchObject([{ headers: { 'feed-signature': 't=1,v1=00' }, body: '{}' }])
  expect(followed).toEqual([])
})
