import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { request as sendRaw } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { fingerprintOf } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import express from 'express'
import Fastify, { type onRequestAsyncHookHandler } from 'fastify'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent, secret } from '../../../test/contract/harness.ts'
import { listen } from '../../../test/contract/listen.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { consoleClient, type ConsoleClient } from '../../../test/support/console-client.ts'
import { createConsole, type Console, type ConsoleOptions } from './index.ts'

const token = 'console-token-for-tests-0123456789'
const requeuing = ['retry', 'countretriable', 'reprocess', 'countreprocessable']

describe('a console', () => {
  const database = useDatabase('pglite', 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('rejects missing or conflicting access rules', () => {
    expect(() => createConsole({ inbox })).toThrow(
      expect.objectContaining({ code: 'no_access_rule' }),
    )
    const both = { inbox, token, authorize: () => null }
    for (const options of [both, { inbox, token: 'short' }, { inbox, token: '' }]) {
      expect(() => createConsole(options)).toThrow(expect.objectContaining({ code: 'bad_option' }))
    }
    expect(() => createConsole({ inbox, token, sessionHours: 0 })).toThrow('sessionHours')
  })

  describe('mounted in', () => {
    const mounts: [string, (console: Console) => Promise<{ port: number }>][] = [
      ['Express', (console) => serve(express().use('/ops/console', handlerOf(console)))],
      ['Koa', (console) => serve(koaListener(console))],
      ['Fastify', serveInFastify],
    ]
    it.each(mounts)('%s serves the page, its files and its data', async (_, mount) => {
      const { port } = await mount(createConsole({ inbox, token }))
      for (const path of ['/ops/console', '/ops/console/']) {
        const url = `http://127.0.0.1:${port}${path}`
        const page = await fetch(url)
        expect([page.status, page.headers.get('content-type')]).toEqual([
          200,
          'text/html; charset=utf-8',
        ])
        const html = await page.text()
        const root = /data-root="([^"]*)"/.exec(html)?.[1] ?? ''
        expect(new URL(root, url).pathname).toBe('/ops/console/')
        const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link)
        expect(links.length).toBeGreaterThanOrEqual(3)
        for (const link of links) {
          const file = await fetch(new URL(link, url))
          expect([link, file.status]).toEqual([link, 200])
          expect(file.headers.get('cache-control')).toContain('immutable')
        }
        const client = consoleClient(new URL(root, url))
        await client.login(token)
        expect(await client.get('entries')).toMatchObject({ status: 200 })
      }
    })
  })

  it('serves its page to a browser that opens it under /api', async () => {
    const url = await serveConsole({ inbox, token })
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const path of ['/api/console', '/ops/api/entries']) {
      const page = await fetch(new URL(path, url), { headers })
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      const root = /data-root="([^"]*)"/.exec(await page.text())?.[1] ?? ''
      const client = consoleClient(new URL(root, page.url))
      await client.login(token)
      expect((await client.get('entries')).status).toBe(200)
    }
  })

  it('rejects with page_missing if a bundler has moved its code away from its page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'moved-console-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await cp(new URL('.', import.meta.url), join(folder, 'src'), { recursive: true })
    const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))
    await symlink(modules, join(folder, 'node_modules'))
    const { href } = pathToFileURL(join(folder, 'src/index.ts'))
    const moved: { createConsole: typeof createConsole } = await import(href)
    const page = moved.createConsole({ inbox, token })(new Request('http://localhost/console'))
    await expect(page).rejects.toMatchObject({
      code: 'page_missing',
      message: expect.stringContaining('serverExternalPackages'),
    })
  })

  it('sends a strict content security policy with every response', async () => {
    const url = await serveConsole({ inbox, token })
    for (const path of ['', 'assets/none.js', 'api/session', 'api/entries', 'api/none']) {
      const { headers } = await fetch(new URL(path, url))
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(new URL('api/entries', url), { method: 'PUT' })).status).toBe(405)
    expect((await fetch(new URL('assets/none.js', url))).status).toBe(404)
  })

  it('loads less than 30 kB of script for its first view', async () => {
    const url = await serveConsole({ inbox, token })
    const html = await (await fetch(url)).text()
    const root = new URL(/data-root="([^"]*)"/.exec(html)?.[1] ?? '', url)
    const scripts = [...html.matchAll(/(?:src|modulepreload[^>]*href)="([^"]*)"/g)]
    const sizes = scripts.map(async ([, link = '']) => {
      const script = await (await fetch(new URL(link, root))).arrayBuffer()
      return gzipSync(script).length
    })
    const sum = (await Promise.all(sizes)).reduce((all, size) => all + size, 0)
    expect(sum).toBeGreaterThan(5_000)
    expect(sum).toBeLessThan(30_000)
  })

  it('escapes the request path in its page', async () => {
    const url = await serveConsole({ inbox, token })
    for (const path of ["a'onload='b", 'a&quot;b', '$&$`', '%22%3E%3Cscript%3E']) {
      const page = await (await fetch(new URL(`/${path}`, url))).text()
      const root = /data-root="([^"]*)"/.exec(page)?.[1]
      expect(root).toMatch(/^\.\/[^"'<>]*\/$/)
      expect(page.match(/<script/g)).toHaveLength(1)
    }
  })

  describe('with a token', () => {
    let url: URL
    beforeAll(async () => {
      url = await serveConsole({ inbox, token, readOnly: false, reproduce }, afterAll)
    })

    it('rejects views and actions before login and after logout', async () => {
      const client = consoleClient(url)
      expect(await client.get('session')).toMatchObject({ status: 200, body: { operator: null } })
      const views = [
        'overview',
        'entries',
        'count',
        'facets',
        'entry',
        'quarantine',
        'secrets',
        'feed',
        'pauses',
        'testfile',
      ]
      for (const view of [...views, 'quarantined']) {
        expect([view, (await client.get(view)).status]).toEqual([view, 401])
      }
      const resolving = ['release', 'discard', 'discardall', 'countdiscardable']
      for (const action of [...requeuing, ...resolving, 'pause', 'resume']) {
        expect([action, (await client.post(action, {})).status]).toEqual([action, 401])
      }
      expect(await client.post('login', { token: `${token}x` })).toMatchObject({
        status: 401,
        body: { code: 'wrong_token' },
      })
      // Nobody learns the name of the database before the login.
      expect((await client.get('session')).body).toMatchObject({ operator: null, subtitle: '' })
      await client.login(token, 'Ada')
      expect(await client.get('session')).toMatchObject({
        body: {
          operator: 'Ada',
          readOnly: false,
          login: 'token',
          subtitle: expect.stringMatching(/^test · \S/),
        },
      })
      expect((await client.get('overview')).status).toBe(200)
      await client.post('logout', {})
      expect((await client.get('overview')).status).toBe(401)
    })

    it('lets a program with the token read but not act', async () => {
      const program = consoleClient(url, { authorization: `Bearer ${token}` })
      expect((await program.get('entries')).status).toBe(200)
      expect(await program.get('session')).toMatchObject({
        body: { operator: 'a program', readOnly: true },
      })
      expect(await program.post('pause', { reason: 'x' })).toMatchObject({
        status: 403,
        body: { code: 'read_only' },
      })
      const wrong = consoleClient(url, { authorization: `Bearer ${token}x` })
      expect((await wrong.get('entries')).status).toBe(401)
    })

    it('accepts a login through a proxy that adds a bearer token of its own', async () => {
      const client = consoleClient(url, { authorization: 'Bearer of-the-proxy' })
      await client.login(token, 'Ada')
      expect((await client.get('session')).body).toMatchObject({ operator: 'Ada' })
    })

    it('stores the session in an HttpOnly, SameSite=Strict cookie', async () => {
      const client = consoleClient(url)
      await client.login(token)
      for (const cookie of client.setCookies) {
        const attributes = cookie.split('; ').slice(1).toSorted()
        expect(attributes).toEqual([
          'HttpOnly',
          expect.stringMatching(/^Max-Age=\d+$/),
          'SameSite=Strict',
        ])
        expect(cookie).not.toMatch(/Path=|Domain=/)
        expect(cookie).not.toContain(token)
      }
      expect(client.setCookies).toHaveLength(2)
      const answer = await fetch(new URL('api/session', url), {
        headers: { 'x-forwarded-proto': 'https' },
      })
      expect(answer.headers.get('set-cookie')).toContain('; Secure')
    })

    it.each([
      ['forged', 'QWRh.9999999999999.AAAA'],
      ['empty', ''],
      ['expired', `QWRh.1.${'A'.repeat(43)}`],
    ])('rejects a session that is %s', async (_, session) => {
      const client = consoleClient(url)
      await client.login(token)
      const [name] = client.setCookies.map((cookie) => cookie.split('=')[0]).toReversed()
      const headers = { cookie: `${name}=${session}` }
      expect((await fetch(new URL('api/entries', url), { headers })).status).toBe(401)
    })

    it('keeps its session while another console of the same host has one', async () => {
      const client = consoleClient(url)
      await client.login(token, 'Ada')
      const another = `another ${token}`
      const other = client.at(await serveConsole({ inbox, token: another }))
      await other.login(another, 'Bo')
      expect((await client.get('session')).body).toMatchObject({ operator: 'Ada' })
      expect((await other.get('session')).body).toMatchObject({ operator: 'Bo' })
      await other.post('logout', {})
      expect((await client.get('session')).body).toMatchObject({ operator: 'Ada' })
    })

    it('gives a stranger who logs out no cookie with a name derived from the token', async () => {
      const stranger = consoleClient(url)
      await stranger.get('session')
      const before = stranger.setCookies.length
      expect(await stranger.post('logout', {})).toMatchObject({ status: 200 })
      expect(stranger.setCookies.slice(before)).toEqual([])
      await stranger.login(token)
      await stranger.post('logout', {})
      expect(stranger.setCookies.at(-1)).toMatch(/^feed_console_[0-9a-f]{8}=;.*Max-Age=0/)
    })

    it('ends sessions when the token changes or the time is over', async () => {
      const client = consoleClient(url)
      await client.login(token)
      const other = await serveConsole({ inbox, token: `${token.slice(0, -1)}X` })
      expect((await client.at(other).get('entries')).status).toBe(401)
      const brief = consoleClient(await serveConsole({ inbox, token, sessionHours: 0.000_001 }))
      await brief.login(token)
      await expect.poll(async () => (await brief.get('entries')).status).toBe(401)
    })
  })

  it('asks the app who has access with authorize', async () => {
    const url = await serveConsole({
      inbox,
      readOnly: false,
      authorize: async ({ headers }) => {
        const name = headers.get('x-user')
        return name === null ? null : { name, readOnly: name === 'guest' }
      },
    })
    const nobody = consoleClient(url)
    expect(await nobody.get('session')).toMatchObject({ body: { operator: null, login: 'app' } })
    expect((await nobody.get('entries')).status).toBe(401)
    expect((await nobody.post('login', { token: '' })).status).toBe(401)
    const guest = consoleClient(url, { 'x-user': 'guest' })
    expect(await guest.get('session')).toMatchObject({
      body: { operator: 'guest', readOnly: true },
    })
    expect(await guest.post('discard', { id: 1 })).toMatchObject({ body: { code: 'read_only' } })
    const ada = consoleClient(url, { 'x-user': 'ada' })
    expect((await ada.get('session')).body).toMatchObject({ operator: 'ada', readOnly: false })
    expect((await ada.post('discard', { id: 999_999 })).status).toBe(404)
  })

  it.each([new Error('no session store'), 'no session store'])(
    'answers 500 if the app throws %o',
    async (thrown) => {
      const told: unknown[] = []
      const url = await serveConsole({
        inbox,
        authorize: () => {
          throw thrown
        },
        onError: (error) => told.push(error),
      })
      const { status, body } = await consoleClient(url).get('entries')
      expect(status).toBe(500)
      expect(JSON.stringify(body)).not.toContain('session store')
      expect(told).toMatchObject([{ message: expect.stringContaining('no session store') }])
    },
  )

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no log')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no log'))],
  ])('answers 500 if its onError %s', async (how, fail) => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const authorize = () => {
      throw new Error(`no session store, and no log: ${how}`)
    }
    const url = await serveConsole({ inbox, authorize, onError: fail })
    expect(await consoleClient(url).get('entries')).toMatchObject({
      status: 500,
      body: { code: 'failed' },
    })
    const texts = () => warned.mock.calls.map(([text]) => text)
    await expect.poll(texts).toEqual([`Error: no session store, and no log: ${how}`])
  })

  describe('on an action', () => {
    let url: URL
    let client: ConsoleClient
    beforeAll(async () => {
      url = await serveConsole({ inbox, token, readOnly: false, reproduce }, afterAll)
      client = consoleClient(url)
      await client.login(token, 'Ada')
    })

    const foreign: [string, Record<string, string | undefined>][] = [
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['a neighbouring site', { 'sec-fetch-site': 'same-site' }],
      ['a typed address', { 'sec-fetch-site': 'none' }],
      ['another origin', { origin: 'https://elsewhere.example' }],
      ['another port', { origin: 'http://127.0.0.1:1' }],
      ['no origin', { origin: 'null' }],
      ['an unknown origin', { origin: undefined }],
      ['a page without the CSRF token', { 'x-feed-console': undefined }],
      ['a page with a wrong CSRF token', { 'x-feed-console': 'A'.repeat(32) }],
    ]
    it.each(foreign)('rejects a request from %s', async (_, headers) => {
      const id = await setAside()
      expect(await client.post('discard', { id }, headers)).toMatchObject({
        status: 403,
        body: { code: 'not_our_page' },
      })
      expect((await inbox.quarantined.get(id))?.state).toBe('open')
    })

    it('accepts the forwarded host of a proxy', async () => {
      const forwarded = { origin: 'https://ops.example', 'x-forwarded-host': 'ops.example' }
      const id = await setAside()
      expect((await client.post('discard', { id }, forwarded)).status).toBe(200)
    })

    it('rejects bodies that are not JSON, too large or invalid', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await client.post('discard', {}, form)).status).toBe(415)
      expect((await client.post('discard', { id: 'x'.repeat(300_000) })).status).toBe(413)
      expect((await client.post('discard', [])).status).toBe(400)
      for (const said of [{}, { id: '1' }, { id: 1.5 }]) {
        expect((await client.post('discard', said)).status).toBe(400)
      }
      for (const said of [{}, { ids: [1] }, { ids: ['\0'] }, { filter: { state: 'done' } }]) {
        expect((await client.post('countretriable', said)).status).toBe(400)
      }
      for (const filter of [null, 7, 'state', []]) {
        expect((await client.post('countretriable', { filter })).body).toEqual({
          code: 'bad_option',
          error: 'filter: use an object with filters, or send ids.',
        })
      }
      expect((await client.post('prune', {})).status).toBe(404)
    })

    it('releases or discards once, and records the operator', async () => {
      const [first, second] = [await setAside(), await setAside()]
      expect((await client.post('release', { id: first })).body).toEqual({ result: 'stored' })
      expect(await client.post('release', { id: first })).toMatchObject({
        status: 409,
        body: { code: 'already_resolved' },
      })
      expect((await client.post('discard', { id: second })).status).toBe(200)
      const { body } = await client.get(`quarantined?id=${second}`)
      expect(body).toMatchObject({ quarantined: { state: 'discarded', resolvedBy: 'Ada' } })
    })

    it('discards all deliveries of a reason, and records the operator', async () => {
      await setAside()
      const [reasoned] = (await inbox.quarantined.list({ state: 'open' })).quarantined
      const filter = { reason: reasoned?.reason }
      const open = { ...filter, state: 'open' } as const
      const { length } = (await inbox.quarantined.list(open)).quarantined
      const counted = await client.post('countdiscardable', { filter })
      expect(counted.body).toEqual({ count: length, until: expect.any(String) })
      const none = { filter: { ...filter, until: new Date(0).toISOString() } }
      expect((await client.post('discardall', none)).body).toEqual({ count: 0 })
      expect((await client.post('discardall', { filter: { reason: 'none' } })).status).toBe(400)
      expect((await client.post('discardall', {})).status).toBe(400)
      expect((await client.post('discardall', { filter })).body).toEqual({ count: length })
      expect((await inbox.quarantined.list(open)).quarantined).toEqual([])
      expect((await inbox.operations({ limit: 1 })).operations).toMatchObject([
        { kind: 'discard', by: 'Ada' },
      ])
    })

    it('counts entries, then retries them and streams progress', async () => {
      const type = 'to_retry'
      await insertDead(type, 1_200)
      expect(await client.post('countretriable', { filter: { type } })).toMatchObject({
        body: { count: 1_200 },
      })
      const one = await client.post('retry', { ids: [`${type}_1`] })
      expect(linesOf(one.text)).toEqual([{ count: 1 }, { done: true, count: 1 }])
      const many = await client.post('retry', { filter: { type } })
      expect(linesOf(many.text)).toEqual([
        { count: 1_000 },
        { count: 1_199 },
        { done: true, count: 1_199 },
      ])
      const { operations } = await inbox.operations({ eventId: `${type}_1` })
      expect(operations).toMatchObject([{ kind: 'retry', by: 'Ada' }])
    })

    it('reprocesses one or many entries, with effects if requested', async () => {
      const type = 'to_reprocess'
      await insertDead(type, 3)
      await database().query(
        `update feed_inbox.entry set state = 'done', handled_at = now() where type = $1`,
        [type],
      )
      const { body } = await client.post('countreprocessable', { filter: { type } })
      expect(body).toEqual({
        count: 3,
        isExact: true,
        emptied: 0,
        handledBefore: expect.any(String),
      })
      const again = { ids: [`${type}_1`], effects: 'again' }
      const one = await client.post('reprocess', again)
      expect(linesOf(one.text)).toEqual([{ count: 1 }, { done: true, count: 1 }])
      const many = await client.post('reprocess', { filter: { type, state: 'done' } })
      expect(linesOf(many.text)).toEqual([{ count: 2 }, { done: true, count: 2 }])
      const { operations } = await inbox.operations({ eventId: `${type}_1` })
      const detail = expect.stringContaining('effects: again')
      expect(operations).toMatchObject([{ kind: 'reprocess', by: 'Ada', detail }])
      expect((await client.post('reprocess', { ids: [], effects: 'twice' })).status).toBe(400)
      const dead = await client.post('countreprocessable', { filter: { state: 'dead' } })
      expect(dead).toMatchObject({ status: 400, body: { code: 'bad_option' } })
    })

    it.each(['countreprocessable', 'reprocess'])('rejects %s of all entries', async (name) => {
      for (const filter of [{}, { since: '', until: '' }, { unknown: 'x' }]) {
        expect(await client.post(name, { filter })).toMatchObject({
          status: 400,
          body: { code: 'bad_option', error: expect.stringContaining('Choose a filter') },
        })
      }
    })

    it.each(requeuing)('answers 404 to %s of an unknown entry', async (name) => {
      const error = expect.stringContaining('No entry has the event id "evt_none". Reload')
      expect(await client.post(name, { ids: ['evt_none'] })).toMatchObject({
        status: 404,
        body: { code: 'unknown_event', error },
      })
    })

    it('rejects a retry or reprocess of a test delivery', async () => {
      await insertDead('destination_test', 1)
      for (const name of requeuing) {
        expect(await client.post(name, { ids: ['destination_test_1'] })).toMatchObject({
          status: 409,
          body: { code: 'no_handler', error: expect.stringContaining('reaches no handler') },
        })
      }
      for (const name of ['countretriable', 'countreprocessable']) {
        expect(await client.post(name, { filter: { type: 'destination_test' } })).toMatchObject({
          status: 400,
          body: { code: 'bad_option', error: expect.stringContaining('reaches no handler') },
        })
      }
      expect(await inbox.entries.retry({ ids: ['destination_test_1'] })).toBe(0)
      expect((await inbox.entries.get('destination_test_1'))?.state).toBe('dead')
    })

    it('says why an unreadable delivery cannot be released', async () => {
      const { event: _, ...delivery } = deliveryOf({}, Buffer.from('{"cut'))
      await inbox.quarantine({ ...delivery, detail: 'cut off', eventId: null }, 'not_json')
      const { quarantined } = await inbox.quarantined.list({ limit: 1 })
      const id = quarantined[0]?.id
      const { body } = await client.get(`quarantined?id=${id}`)
      expect(body).toMatchObject({ quarantined: { unreadable: expect.stringMatching(/./) } })
      expect(await client.post('release', { id })).toMatchObject({
        status: 409,
        body: { code: 'still_unreadable' },
      })
      const readable = await setAside()
      expect((await client.get(`quarantined?id=${readable}`)).body).toMatchObject({
        quarantined: { unreadable: null },
      })
    })

    it('pauses and resumes types, and records the operator', async () => {
      const reason = 'The index is rebuilt.'
      const types = ['model_release', 'never_seen']
      expect(await client.post('pause', { types, reason })).toMatchObject({
        status: 400,
        body: {
          code: 'unknown_type',
          error: expect.stringMatching(/'never_seen'.* Correct the name, or tick “Force” to pause/),
        },
      })
      expect((await client.get('pauses')).body).toEqual({ pauses: [] })
      expect((await client.post('pause', { types, reason, force: true })).body).toMatchObject({
        paused: types.map((type) => ({ type, reason, by: 'Ada' })),
      })
      expect(await client.post('pause', { types: ['never_seen'], reason })).toMatchObject({
        status: 409,
        body: { code: 'already_paused', error: expect.stringContaining('by Ada') },
      })
      expect((await client.post('resume', { types })).body).toMatchObject({ stillPaused: [] })
      expect(await client.post('resume', { types })).toMatchObject({
        status: 409,
        body: { code: 'not_paused' },
      })
      const { operations } = await inbox.operations({ limit: 2 })
      expect(operations).toMatchObject([
        { kind: 'resume', by: 'Ada' },
        { kind: 'pause', by: 'Ada', detail: `model_release, never_seen: ${reason}` },
      ])
    })

    it('pauses the whole inbox only if types are left out', async () => {
      for (const said of [
        { types: null, reason: 'r' },
        { types: 'model_release', reason: 'r' },
        { types: [], reason: 'r' },
        { types: [''], reason: 'r' },
        { types: ['\0'], reason: 'r' },
        {},
        { reason: ' ' },
        { reason: 7 },
        { reason: 'r'.repeat(501) },
      ]) {
        const { status, body } = await client.post('pause', said)
        expect([said, status, body]).toMatchObject([said, 400, { code: 'bad_option' }])
      }
      for (const types of [null, 'model_release', []]) {
        expect((await client.post('resume', { types })).status).toBe(400)
      }
      expect((await client.get('pauses')).body).toEqual({ pauses: [] })
      expect((await client.post('pause', { reason: 'Release' })).body).toMatchObject({
        paused: [{ type: null, reason: 'Release', by: 'Ada' }],
      })
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      expect((await client.get(`entry?id=${event.id}`)).body).toMatchObject({
        pauses: [{ type: null, reason: 'Release' }],
      })
      expect((await client.post('resume', {})).body).toMatchObject({ resumed: [{ type: null }] })
      expect((await client.get(`entry?id=${event.id}`)).body).toMatchObject({ pauses: [] })
    })

    it('is read-only by default', async () => {
      const readOnly = consoleClient(await serveConsole({ inbox, token }))
      await readOnly.login(token)
      const id = await setAside()
      await insertDead('untouched', 1)
      for (const [action, said] of Object.entries({
        ...Object.fromEntries(requeuing.map((name) => [name, { filter: {} }])),
        release: { id },
        discard: { id },
        pause: { reason: 'Release' },
        resume: {},
      })) {
        expect(await readOnly.post(action, said)).toMatchObject({
          status: 403,
          body: { code: 'read_only' },
        })
      }
      expect((await inbox.quarantined.get(id))?.state).toBe('open')
      expect((await inbox.entries.get('untouched_1'))?.state).toBe('dead')
      expect(await inbox.pauses()).toEqual([])
    })
  })

  describe('in its views', () => {
    let url: URL
    let client: ConsoleClient
    beforeAll(async () => {
      url = await serveConsole({ inbox, token, reproduce }, afterAll)
      client = consoleClient(url)
      await client.login(token)
    })

    it('lists entries by a filter, and rejects an invalid one', async () => {
      const event = makeEvent({ type: 'only_one' })
      await inbox.accept(deliveryOf(event))
      const { body } = await client.get('entries?type=only_one&limit=1&provider=')
      expect(body).toMatchObject({ entries: [{ eventId: event.id }], next: null })
      expect((await client.get('count?type=only_one')).body).toEqual({ count: 1, isExact: true })
      for (const query of ['state=gone', 'limit=501', 'limit=x', 'after=-1', 'since=soon']) {
        expect([query, (await client.get(`entries?${query}`)).status]).toEqual([query, 400])
      }
      expect((await client.get('quarantine?state=done')).status).toBe(400)
      expect((await client.get('entries?search=%00&provider=%ff')).status).toBe(200)
    })

    it('shows an entry with its operations, and 404 for an unknown one', async () => {
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      expect((await client.get(`entry?id=${event.id}`)).body).toMatchObject({
        entry: { eventId: event.id, event },
        operations: [],
      })
      expect(await client.get('entry?id=nobody')).toMatchObject({
        status: 404,
        body: { code: 'no_entry' },
      })
    })

    it('serves the test file of an entry under a safe name', async () => {
      const id = 'a/../"b"; x=y ä.'
      await inbox.accept(deliveryOf(makeEvent({ id })))
      const path = `testfile?id=${encodeURIComponent(id)}`
      const { status, text, headers } = await client.get(path)
      expect([status, text]).toEqual([200, `a test of ${id}`])
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': 'attachment; filename="event-a_b_x_y_.test.ts"',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      })
      const opened = { authorization: `Bearer ${token}`, accept: 'text/html,*/*' }
      expect((await consoleClient(url, opened).get(path)).text).toBe(text)
      expect(await client.get('testfile?id=nobody')).toMatchObject({
        status: 404,
        body: { code: 'unknown_event' },
      })
      expect(await client.get('testfile?id=pruned')).toMatchObject({
        status: 409,
        body: { code: 'content_pruned' },
      })
    })

    it('shows a conflict beside the stored event', async () => {
      const event = makeEvent()
      await inbox.accept(deliveryOf(event))
      const other = deliveryOf({ ...event, type: 'something_else' })
      await inbox.accept(other)
      const [row] = (await inbox.quarantined.list()).quarantined
      expect((await client.get(`quarantined?id=${row?.id}`)).body).toMatchObject({
        quarantined: { reason: 'id_conflict', sha256: other.sha256 },
        stored: { eventId: event.id, bodyBase64: expect.any(String) },
      })
      expect((await client.get('quarantined?id=999999')).status).toBe(404)
    })

    it('shows health, and secrets by their fingerprints', async () => {
      expect((await client.get('overview')).body).toMatchObject({
        health: { ok: true },
        activity: { stepSeconds: 1_800 },
        operations: expect.any(Array),
        alerts: [],
      })
      expect((await client.get('secrets')).body).toMatchObject({
        secrets: [{ fingerprint: 'abcdef012345' }],
      })
      const { body, text } = await client.get('feed?kind=pull_only')
      expect(body).toMatchObject({ counts: expect.any(Object), streams: [], gaps: { next: null } })
      expect(text).not.toContain('cursor')
      expect((await client.get('feed?kind=other')).status).toBe(400)
      expect((await client.get('facets')).body).toMatchObject({ providers: ['northwind-ai', 'p'] })
    })

    it.each([
      ['waiting', 'quota_exhausted', 'what else uses the API key'],
      ['waiting', 'cursor_lost', 'its own cursors'],
      ['suspended', 'not_found', 'Check the base URL'],
    ] as const)('says what to do about a stream that is %s by %s', async (phase, code, fix) => {
      onTestFinished(
        async () => void (await database().query('delete from feed_inbox.poll_stream')),
      )
      const holder = 'poller'
      await inbox.streams.take('one', { holder, leaseMs: 1 })
      await inbox.streams.note('one', holder, { phase, code, waitUntil: new Date() })
      expect((await client.get('feed')).body).toMatchObject({
        streams: [{ code, fix: expect.stringContaining(fix) }],
      })
    })

    it('lists rejections by reason with the fix, and those of strangers apart', async () => {
      const rejected = { notes: [], durationMs: 1 }
      inbox.answered({ ...rejected, reason: 'overloaded', status: 429 })
      inbox.answered({ ...rejected, reason: 'signature_mismatch', status: 401 })
      await expect.poll(async () => (await inbox.rejections()).length).toBe(2)
      const rejections = [
        { reason: 'signature_mismatch', count: 1, sender: 'pause', fix: expect.any(String) },
        { reason: 'overloaded', count: 1, sender: 'retry' },
      ]
      const [strange, own] = rejections
      const expected = { rejections: [own], strangers: [strange] }
      expect((await client.get('overview')).body).toMatchObject(expected)
      expect((await client.get('feed?hours=168')).body).toMatchObject({ rejections })
      for (const hours of ['0', '9000', 'x']) {
        expect([hours, (await client.get(`feed?hours=${hours}`)).status]).toEqual([hours, 400])
      }
    })

    it.each(['rejection', 'operation', 'stream_gap', 'job'])(
      'shows the rest of the overview and the feed without the table %s',
      async (table) => {
        await insertDead(`unread_${table}`, 1)
        await database().query(`alter table feed_inbox.${table} rename to away`)
        const overview = await client.get('overview')
        const feed = await client.get('feed')
        await database().query(`alter table feed_inbox.away rename to ${table}`)
        expect(overview).toMatchObject({ status: 200, body: { health: { database: 'up' } } })
        expect(feed.status).toBe(200)
        // Errors are read with the jobs.
        if (table !== 'job') expect(overview.text).toContain(`unread_${table}`)
      },
    )

    it('never shows a secret or a signature', async () => {
      const { createReceiver } = await import('@feed-receiver/core')
      const { signDelivery } = await import('@feed-receiver/core/testing')
      const receiver = createReceiver({ secrets: [secret], inbox })
      const event = makeEvent()
      const signed = signDelivery(event, { secret })
      expect((await receiver.receive(signed)).status).toBe(202)
      const views = ['overview', 'entries', `entry?id=${event.id}`, 'secrets', 'session', 'facets']
      const texts = await Promise.all(views.map(async (view) => (await client.get(view)).text))
      const said = texts.join('\n')
      expect(said).toContain(fingerprintOf(secret))
      const signature = signed.headers['feed-signature']?.split('v1=')[1] ?? 'none'
      for (const hidden of [secret, signature, token, 'feed-signature']) {
        expect(said).not.toContain(hidden)
      }
    })

    it('hides the details of an inbox error', async () => {
      const stopped = createInbox({ database: database() })
      const errors: unknown[] = []
      const onError = (error: unknown) => errors.push(error)
      const broken = consoleClient(await serveConsole({ inbox: stopped, token, onError }))
      await broken.login(token)
      expect(await broken.get('entries')).toMatchObject({
        status: 503,
        body: { code: 'not_running' },
      })
      expect(errors).toHaveLength(1)
      // The overview says what is wrong, also while nothing can be read.
      expect(await broken.get('overview')).toMatchObject({
        status: 200,
        body: { health: { problems: [{ code: 'database_down' }] }, activity: null },
      })
    })
  })

  async function setAside(): Promise<number> {
    await inbox.accept({ ...deliveryOf(makeEvent()), doubt: 'id_mismatch' })
    return (await inbox.quarantined.list()).quarantined[0]?.id ?? 0
  }

  async function insertDead(type: string, count: number): Promise<void> {
    await database().query(
      `with dead as (
         insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
           confirmation, created_at, received_at)
         select 'feed', $1 || '_' || n, 'dead', $1, 'p', 'c', 't', 'confirmed', now(), now()
         from generate_series(1, $2::integer) n
         returning id
       )
       insert into feed_inbox.entry_body (entry_id, body) select id, 'x' from dead`,
      [type, count],
    )
  }
})

it('answers requests with an unknown host', async () => {
  const inbox = createInbox()
  const url = await serveConsole({ inbox, token })
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'a b' }
    const sent = sendRaw({ port: url.port, path: '//', headers }, ({ statusCode }) =>
      resolve(statusCode),
    )
    sent.on('error', reject).end()
  })
  expect(status).toBe(200)
})

/** Like `reproduce` of the package operate. */
async function reproduce(eventId: string): Promise<string> {
  const codes: Record<string, string> = { nobody: 'unknown_event', pruned: 'content_pruned' }
  const code = codes[eventId]
  if (code !== undefined) throw Object.assign(new Error('There is no such event.'), { code })
  return `a test of ${eventId}`
}

async function serveConsole(
  options: ConsoleOptions,
  whenOver: (close: () => Promise<void>) => void = onTestFinished,
): Promise<URL> {
  const { port, close } = await listen(handlerOf(createConsole(options)))
  whenOver(close)
  return new URL(`http://127.0.0.1:${port}/console/`)
}

async function serve(listener: Parameters<typeof listen>[0]): Promise<{ port: number }> {
  const { port, close } = await listen(listener)
  onTestFinished(close)
  return { port }
}

function handlerOf(console: Console) {
  const handle = toNodeHandler(console)
  return (...[request, response]: Parameters<typeof handle>) => void handle(request, response)
}

function koaListener(console: Console) {
  const handle = toNodeHandler(console)
  const app = new Koa().use(async (context) => {
    context.respond = false
    await handle(context.req, context.res)
  })
  const listener = app.callback()
  return (...[request, response]: Parameters<typeof listener>) => void listener(request, response)
}

async function serveInFastify(console: Console): Promise<{ port: number }> {
  const handle = toNodeHandler(console)
  const app = Fastify()
  const onRequest: onRequestAsyncHookHandler = async (request, reply) => {
    reply.hijack()
    await handle(request.raw, reply.raw)
  }
  for (const url of ['/ops/console', '/ops/console/*']) {
    app.all(url, { onRequest }, () => undefined)
  }
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return { port: Number(new URL(address).port) }
}

function linesOf(text: string): unknown[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
