import { expect, it } from 'vitest'
import { openApp } from '../../../test/open-app.ts'
import { checkEndpoint } from './create-destination.ts'

const allowLocal = true

it.each([301, 302, 303, 307, 308])('refuses a URL that redirects with %d', async (status) => {
  const app = await openApp()
  app.answer = () => ({ status, headers: { location: 'https://app.example.com/feed' } })
  const target = new URL(app.url)
  await expect(checkEndpoint(target, 'signed', { allowLocal })).rejects.toMatchObject({
    reason: 'bad_destination',
    message: expect.stringContaining(`${status}, a redirect`),
  })
  expect(app.arrivals.map(({ body }) => body)).toEqual([''])
})

it('accepts a URL that answers anything else, and sends it no event', async () => {
  const app = await openApp()
  await checkEndpoint(new URL(app.url), 'signed', { allowLocal })
  app.answer = () => ({ status: 500 })
  await checkEndpoint(new URL(app.url), 'signed', { allowLocal })
  expect(app.arrivals.map(({ body }) => body)).toEqual(['', ''])
})

it('sends nothing at all to a chat', async () => {
  const app = await openApp()
  await checkEndpoint(new URL(app.url), 'slack', { allowLocal })
  expect(app.arrivals).toEqual([])
})

it('refuses a URL that cannot be reached, and says what to do', async () => {
  const target = new URL('http://no-such-host.invalid/feed')
  await expect(checkEndpoint(target, 'signed', { allowLocal })).rejects.toMatchObject({
    reason: 'bad_destination',
    message: expect.stringContaining('Start what listens there'),
  })
})
