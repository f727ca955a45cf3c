import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('a browser', () => {
  const made = useSandbox({ historyDays: 0 })

  async function ask(path: string, accept: string, headers: Record<string, string> = {}) {
    const init = { headers: { ...headers, accept }, redirect: 'manual' } as const
    return await made().get(path, { ...init, key: null })
  }

  it.each([
    ['/', 200, '<a href="/_sandbox/">Control page</a>'],
    ['/developers', 200, '<h1 id="the-feed-for-developers">'],
    ['/_sandbox/', 401, '/_sandbox/open?session=feed_session_…'],
    ['/_sandbox', 401, '/_sandbox/open?session=feed_session_…'],
    ['/_sandbox/open?session=of-an-earlier-run', 401, 'Open the control page from your terminal'],
    ['/nowhere', 404, 'Nothing exists at this address.'],
    ['/%zz', 400, 'The URL is malformed.'],
  ])('gets a page at %s', async (path, status, text) => {
    const page = await ask(path, browser)
    expect([page.status, page.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ])
    expect(page.text).toContain(text)
    expect(page.text).not.toMatch(/<script|\{\w+\}/)
    expect(page.text).not.toContain(made().sandbox.session)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it.each(['/', '/_sandbox/', '/_sandbox/open?session=x', '/nowhere', '/%zz'])(
    'gets a page where a program gets an error object: %s',
    async (path) => {
      for (const accept of ['*/*', 'application/json', 'application/json, text/html']) {
        const answer = await ask(path, accept)
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.body).toEqual({ error: expect.any(String), code: expect.any(String) })
      }
    },
  )

  it.each([
    ['/v1/events', 401],
    ['/v1/nowhere', 401],
    ['/v1?x', 401],
    ['/mcp', 401],
    ['/_sandbox/api/clock', 401],
  ])('gets the error object of the API at %s', async (path, status) => {
    expect(await ask(path, browser)).toMatchObject({ status, body: { code: expect.any(String) } })
  })

  it('is redirected to the control page without the last slash', async () => {
    const { sandbox } = made()
    const cookie = `feed_sandbox_session_${new URL(sandbox.url).port}=${sandbox.session}`
    const headers = { cookie }
    const page = await ask('/_sandbox?x=1', browser, headers)
    expect([page.status, page.headers.get('location')]).toEqual([302, '/_sandbox/'])
    expect(await ask('/_sandbox/?x=1', browser, headers)).toMatchObject({ status: 200 })
    expect(await ask('/_sandbox/nowhere', browser, headers)).toMatchObject({ status: 404 })
  })
})
