import { expect, test } from 'vitest'
import { closedPort, serve, serveRaw } from '../../test/serve.ts'
import { findRedirect } from './probe-target.ts'

const allowLocal = true

test.each([301, 302, 303, 307, 308])('returns %d for a redirect', async (status) => {
  const elsewhere = await serve((response) => response.writeHead(200).end())
  const { url, arrivals } = await serve((response) =>
    response.writeHead(status, { Location: elsewhere.url }).end(),
  )
  expect(await findRedirect(`${url}?key=1`, { allowLocal })).toBe(status)
  expect(elsewhere.arrivals).toEqual([])
  expect(arrivals).toMatchObject([{ method: 'HEAD', path: '/feed?key=1' }])
  expect(arrivals[0]?.body).toHaveLength(0)
  expect(Object.keys(arrivals[0]?.headers ?? {})).not.toContain('feed-signature')
})

test.each([200, 204, 400, 404, 405, 429, 500, 503])('returns null for a %d', async (status) => {
  const { url } = await serve((response) => response.writeHead(status).end())
  expect(await findRedirect(url, { allowLocal })).toBe(null)
})

test('returns null without an answer', async () => {
  const { url: silent } = await serveRaw(() => {})
  expect(await findRedirect(silent, { allowLocal, deadlineMs: 200 })).toBe(null)
  const { url: closing } = await serveRaw((socket) => socket.destroy())
  expect(await findRedirect(closing, { allowLocal })).toBe(null)
  expect(await findRedirect(await closedPort(), { allowLocal })).toBe(null)
})

test('sends nothing to a blocked address', async () => {
  const { url, arrivals } = await serve((response) => response.writeHead(302).end())
  const lookup = async () => [{ address: '127.0.0.1' }]
  const { port } = new URL(url)
  expect(await findRedirect(`https://app.example.com:${port}/`, { lookup })).toBe(null)
  await expect(findRedirect(url)).rejects.toMatchObject({ code: 'invalid_destination' })
  expect(arrivals).toEqual([])
})
