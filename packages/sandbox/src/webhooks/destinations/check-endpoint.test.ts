import { expect, it } from 'vitest'
import { openApp } from '../../../test/open-app.ts'
import { checkEndpoint } from './create-destination.ts'

const allowLocal = true

it.each([301, 302, 303, 307, 308])(
  'rejects a URL that redirects with %d [R179]',
  async (status) => {
    const app = await openApp()
    app.answer = () => ({ status, headers: { location: 'https://app.example.com/feed' } })
    const target = new URL(app.url)
    await expect(checkEndpoint(target, 'signed', { allowLocal })).rejects.toMatchObject({
      reason: 'bad_destination',
      message: expect.stringContaining(`the redirect ${status}`),
    })
    expect(app.arrivals.map(({ body }) => body)).toEqual([''])
  },
)

it('accepts a URL with any other answer and sends no event', async () => {
  const app = await openApp()
  await checkEndpoint(new URL(app.url), 'signed', { allowLocal })
  app.answer = () => ({ status: 500 })
  await checkEndpoint(new URL(app.url), 'signed', { allowLocal })
  expect(app.arrivals.map(({ body }) => body)).toEqual(['', ''])
})

it('sends no request to a chat', async () => {
  const app = await openApp()
  await checkEndpoint(new URL(app.url), 'slack', { allowLocal })
  expect(app.arrivals).toEqual([])
})

it('rejects an unreachable URL', async () => {
  const target = new URL('http://no-such-host.invalid/feed')
  await expect(checkEndpoint(target, 'signed', { allowLocal })).rejects.toMatchObject({
    reason: 'bad_destination',
    message: expect.stringContaining('Start the app that listens there'),
  })
})
