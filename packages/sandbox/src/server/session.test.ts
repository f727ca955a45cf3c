import { request } from 'node:http'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startSandbox, useSandbox } from '../../test/use-sandbox.ts'

describe('the session', () => {
  const made = useSandbox()

  it('opens the control page with the printed link [R142]', async () => {
    const { sandbox } = made()
    const opened = await fetch(sandbox.controlUrl, { redirect: 'manual' })
    expect(opened.status).toBe(302)
    const cookie = opened.headers.get('set-cookie') ?? ''
    expect(cookie).toContain('HttpOnly; SameSite=Strict')
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    const read = await fetch(`${sandbox.url}/_sandbox/api/clock`, { headers })
    expect(read.status).toBe(200)

    const page = await fetch(new URL(opened.headers.get('location') ?? '', sandbox.controlUrl), {
      headers,
    })
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    })
    const html = await page.text()
    expect(html).not.toMatch(/<script>|<style|unsafe/)
    expect(html).not.toContain(sandbox.session)
    const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links.map((link) => extname(link)).toSorted()).toEqual(['.css', '.js', '.svg'])
    let scriptSize = 0
    for (const link of links) {
      const url = new URL(link, page.url)
      const file = await fetch(url, { headers })
      expect([link, file.status]).toEqual([link, 200])
      expect((await fetch(url)).status).toBe(401)
      if (link.endsWith('.js')) scriptSize += gzipSync(await file.arrayBuffer()).length
    }
    // What the first view runs is small.
    expect(scriptSize).toBeGreaterThan(5_000)
    expect(scriptSize).toBeLessThan(30_000)
    for (const path of [
      '../package.json',
      '%2e%2e/package.json',
      'index.html',
      'none.js',
      '/etc/passwd',
    ]) {
      const missing = await fetch(`${sandbox.url}/_sandbox/assets/${path}`, { headers })
      expect([path, missing.status]).toEqual([path, 404])
    }
  })

  it('opens the control page once with the address for a browser', async () => {
    const { sandbox } = made()
    const url = sandbox.createOpenUrl()
    expect(url).not.toContain(sandbox.session)
    expect((await fetch(url, { method: 'HEAD', redirect: 'manual' })).status).toBe(401)
    const [first, second] = [
      await fetch(url, { redirect: 'manual' }),
      await fetch(url, { redirect: 'manual' }),
    ]
    expect([first.status, second.status]).toEqual([302, 401])
    const headers = { cookie: first.headers.get('set-cookie')?.split(';')[0] ?? '' }
    expect((await fetch(`${sandbox.url}/_sandbox/api/clock`, { headers })).status).toBe(200)
    const guessed = `${sandbox.url}/_sandbox/open?code=&session=${sandbox.session}`
    expect((await fetch(guessed, { redirect: 'manual' })).status).toBe(401)
  })

  it('stays in a browser that opens another sandbox of this machine', async () => {
    const { sandbox, options } = made()
    const { sandbox: other } = await startSandbox({ ...options, historyDays: 0 })
    onTestFinished(() => other.stop())
    // A browser has one cookie of each name for a host, whatever the port.
    const cookies = new Map<string, string>()
    for (const { controlUrl } of [sandbox, other]) {
      const { headers } = await fetch(controlUrl, { redirect: 'manual' })
      const [, name = '', value = ''] = /^(\w+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? []
      cookies.set(name, value)
    }
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
    for (const { url } of [sandbox, other]) {
      expect((await fetch(`${url}/_sandbox/api/clock`, { headers })).status).toBe(200)
    }
  })

  it('is required for every action, and an API key is rejected [R142]', async () => {
    const { sandbox, key } = made()
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${key}`]) {
      const headers = authorization ? { authorization } : {}
      const read = await fetch(`${sandbox.url}/_sandbox/api/keys`, { headers })
      const change = await fetch(`${sandbox.url}/_sandbox/api/revoke-key`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{',
      })
      for (const answer of [read, change]) {
        expect(answer.status).toBe(401)
        expect(await answer.json()).toMatchObject({ code: 'unauthorized' })
      }
    }
  })

  it('is rejected by the API', async () => {
    const { get, sandbox } = made()
    expect(await get('/v1/events', { key: sandbox.session })).toMatchObject({ status: 401 })
  })

  it.each([
    ['a foreign Host', { host: 'evil.example:4010' }],
    ['a foreign Origin', { origin: 'http://evil.example' }],
    ['another port as Origin', { origin: 'http://127.0.0.1:1' }],
    ['no origin of its own', { origin: 'null' }],
  ])('is rejected with %s', async (_, headers) => {
    const { sandbox } = made()
    const authorization = `Bearer ${sandbox.session}`
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${sandbox.url}/_sandbox/api/clock`, {
        headers: { ...headers, authorization },
      })
      asked.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      asked.end()
    })
    expect(status).toBe(403)
  })

  it('gets an error object for invalid input', async () => {
    const { act, sandbox } = made()
    expect(await act('move-clock', { to: 'never' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    })
    expect(await act('constructor')).toMatchObject({ status: 404 })
    const sent = async (body: string, type = 'application/json') => {
      const answer = await fetch(`${sandbox.url}/_sandbox/api/move-clock`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.session}`, 'content-type': type },
        body,
      })
      return [answer.status, await answer.json()]
    }
    const rejected = { code: 'invalid_request', error: expect.any(String) }
    expect(await sent('{')).toEqual([400, rejected])
    expect(await sent('')).toEqual([400, rejected])
    expect(await sent('{"__proto__":{"to":"reset"}}')).toEqual([400, rejected])
    expect(await sent('to=reset', 'text/plain')).toEqual([415, rejected])
    expect(await sent(JSON.stringify('x'.repeat(1_100_000)))).toEqual([413, rejected])
  })

  it.each([
    ['create-account', { id: 'acct_x', name: 'a\u0000b' }],
    ['create-account', { id: 'Ärger', name: 'x' }],
    ['create-key', { accountId: 'acct_sandbox', name: 'lone \ud800' }],
    ['compose-event', { eventType: 'a\u0000b' }],
    ['compose-event', { id: 'a\nb' }],
    ['compose-event', { eventType: 'destination_test' }],
    ['compose-event', { sourceUrl: 'nowhere' }],
    ['compose-event', { unknown: 1 }],
    ['change-event', { to: 'retract', id: '\u0000' }],
    ['change-event', { to: 'correct', id: 'evt_1', content: { title: 1 } }],
    ['change-account', { id: 'acct_sandbox', burstLimit: 0 }],
    ['change-account-event', { to: 'retract', eventRef: 'event_0' }],
    ['compose-account-event', { accountId: 'acct_sandbox', type: 'unknown' }],
    ['move-clock', { to: 'advance', byMs: -1 }],
    ['move-clock', { to: 'freeze', at: '2026-13-01T00:00:00Z' }],
    ['revoke-key', { id: 2 ** 60 }],
    ['revoke-key', []],
    ['create-destination', { accountId: 'acct\0', name: 'x', url: 'http://localhost/' }],
    ['create-destination', { accountId: 'acct_sandbox', name: 'x\0', url: 'http://localhost/' }],
    ['change-destination', { id: `dst_${'0'.repeat(24)}`, rules: { types: ['\ud800'] } }],
  ])('gets 400 for unusable input: %s %j', async (name, input) => {
    const { act } = made()
    expect(await act(name, input)).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  it('gets 404 for an unknown action', async () => {
    const { act } = made()
    const missing = { status: 404, body: { code: 'not_found' } }
    expect(await act('create-key', { accountId: 'acct_none', name: 'x' })).toMatchObject(missing)
    expect(await act('change-account', { id: 'acct_none' })).toMatchObject(missing)
    expect(await act('revoke-key', { id: 999_999 })).toMatchObject(missing)
    expect(await act('change-event', { to: 'confirm', id: 'evt_none' })).toMatchObject(missing)
    expect(await act('compose-account-event', { accountId: 'acct_none' })).toMatchObject(missing)
  })

  it('can use the last of many accounts', async () => {
    const { control } = made().sandbox
    const ids = Array.from({ length: 205 }, (_, at) => `zz_${String(at).padStart(3, '0')}`)
    for (const id of ids) await control.createAccount({ id, name: id })
    const last = ids.at(-1) ?? ''
    expect(await control.createKey({ accountId: last, name: 'x' })).toMatchObject({
      accountId: last,
    })
    expect(await control.composeAccountEvent({ accountId: last })).toHaveProperty('eventRef')
  })
})
