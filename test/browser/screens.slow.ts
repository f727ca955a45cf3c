import { createReceiver } from '@feed-receiver/core'
import { createInbox, Permanent, type Inbox } from '@feed-receiver/inbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent, secret } from '../contract/harness.ts'
import { useDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'
import { goTo, openPage, openScreen, serveConsole, token, useBrowser } from './console-page.ts'
import { runAsCommands } from './run-as-commands.ts'

describe('the console in a browser', () => {
  const browser = useBrowser()
  const database = useDatabase('pglite')
  let inbox: Inbox
  const failing = new Set<string>()

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await inbox.work({
      model_release: ({ id }) => {
        if (failing.has(id)) throw new Permanent('The page cannot be sent.')
      },
    })
  })
  afterAll(() => inbox.stop())

  describe('at login', () => {
    it('accepts the token and nothing else', async () => {
      const page = await openPage(browser(), await serveConsole({ inbox, readOnly: false }))
      await page.getByLabel('Token').fill('something else entirely')
      await page.getByLabel('Your name').fill('Ada')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByText('The token is wrong.').waitFor()
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      expect(await page.evaluate('document.cookie')).toBe('')
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('Token').waitFor()
    })

    it('accepts a link with the token and removes it from the address', async () => {
      const page = await openScreen(browser(), await serveConsole({ inbox }))
      expect(page.url()).not.toContain(token)
      expect(await page.title()).toBe('Overview · Inbox · test · embedded database')
    })

    it('follows a link that is opened right after it', async () => {
      const page = await openPage(browser(), await serveConsole({ inbox }))
      await page.evaluate(`new MutationObserver((_, observer) => {
        if (!document.querySelector('nav')) return
        observer.disconnect()
        location.hash = '#/quarantine'
      }).observe(document.body, { childList: true, subtree: true })`)
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Quarantine' }).waitFor({ timeout: 5_000 })
    })

    it('accepts a link while the server does not answer yet', async () => {
      const url = await serveConsole({ inbox })
      const page = await openPage(browser(), url)
      await page.getByLabel('Token').waitFor()
      await page.route('**/api/session', (route) => route.abort(), { times: 1 })
      await page.goto(`${url}?again#token=${token}&name=Ada`)
      await page.getByText('The server does not answer.').waitFor()
      expect(page.url()).not.toContain(token)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    })

    it('keeps the session while the logout fails', async () => {
      const page = await openScreen(browser(), await serveConsole({ inbox }))
      await page.route('**/api/logout', (route) => route.abort(), { times: 1 })
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByText('The server does not answer. Try again').waitFor()
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('Token').waitFor()
    })

    it('says that a proxy asks for a login', async () => {
      const page = await openScreen(browser(), await serveConsole({ inbox }), '/entries')
      const login = { contentType: 'text/html; charset=utf-8', body: '<h1>Log in</h1>' }
      await page.route('**/api/entries*', (route) => route.fulfill(login))
      await page.getByText('A login page answered instead of the server.').waitFor()
    })

    it('leaves access to the app with authorize', async () => {
      const closed = await serveConsole({ inbox, authorize: () => null })
      const page = await openPage(browser(), closed)
      await page.getByText('You have no access to this inbox.').waitFor()
      expect(await page.getByLabel('Token').count()).toBe(0)
    })
  })

  describe('its list of entries', () => {
    const ids = ['screen-1', 'screen-2', 'screen-3']

    beforeAll(async () => {
      for (const [index, id] of ids.entries()) {
        const { data } = makeEvent()
        await inbox.accept(
          deliveryOf(
            makeEvent({
              id,
              type: index === 2 ? 'nobody_handles' : 'model_release',
              data: {
                ...data,
                provider: `provider-${index}`,
                subject: { type: 'model', key: 'one' },
                title: `Title ${index} of three`,
              },
            }),
          ),
        )
      }
      await until('the last is handled', async () => {
        return (await inbox.entries.get('screen-3'))?.state === 'skipped'
      })
    })

    it('is searched and filtered, and its link shows the same view', async () => {
      const url = await serveConsole({ inbox })
      const page = await openScreen(browser(), url, '/entries')
      const rows = page.locator('.rows tbody tr')
      await expect.poll(() => rows.count()).toBe(3)
      // Typed as people do, with a pause before the space is followed by more.
      await page.getByRole('searchbox').pressSequentially('title ')
      await expect.poll(() => page.url()).toContain('search=title')
      await page.getByRole('searchbox').pressSequentially('1')
      await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Title 1')])
      await page.getByRole('searchbox').fill('THREE handles')
      await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Title 2')])
      await page.getByRole('searchbox').fill('screen-3')
      await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Title 2')])
      await page.getByRole('searchbox').fill('')
      await page.getByRole('button', { name: 'Skipped' }).click()
      await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Title 2')])
      await page.getByRole('button', { name: 'All', exact: true }).click()
      await page.getByLabel('Provider').selectOption('provider-0')
      await page.getByLabel('Received').selectOption('24h')
      await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Title 0')])

      const { hash } = new URL(page.url())
      const other = await openScreen(browser(), url, hash.slice(1))
      await expect
        .poll(() => other.locator('.rows tbody tr').allInnerTexts())
        .toEqual([expect.stringContaining('Title 0')])
      expect(await other.getByLabel('Provider').inputValue()).toBe('provider-0')
      await other.getByLabel('Type').selectOption('nobody_handles')
      await other.getByText('No entry matches.').waitFor()
      await other.getByRole('link', { name: 'Show all' }).click()
      await expect.poll(() => other.locator('.rows tbody tr').count()).toBe(3)
      await other.getByLabel('Received').selectOption('between')
      await other.getByLabel('Received since').fill('2020-01-01T00:00')
      await other.getByLabel('Received before').fill('2020-01-02T00:00')
      await other.getByText('No entry matches.').waitFor()
    })

    it('selects the same entries in every time zone by a link', async () => {
      const url = await serveConsole({ inbox })
      const route = '/entries?within=between'
      const tokyo = await openScreen(browser(), url, route, { timezoneId: 'Asia/Tokyo' })
      await tokyo.getByLabel('Received since').fill('2020-01-01T08:30')
      await expect.poll(() => tokyo.url()).toContain('since=2019-12-31T23%3A30')
      expect(await tokyo.getByLabel('Received since').inputValue()).toBe('2020-01-01T08:30')
      const { hash } = new URL(tokyo.url())
      const oslo = await openScreen(browser(), url, hash.slice(1), { timezoneId: 'Europe/Oslo' })
      await expect
        .poll(() => oslo.getByLabel('Received since').inputValue())
        .toBe('2020-01-01T00:30')
      await expect.poll(() => oslo.locator('.rows tbody tr').count()).toBe(3)
    })

    it('can be used by keyboard alone', async () => {
      const page = await openScreen(browser(), await serveConsole({ inbox }))
      await page.keyboard.press('2')
      await page.locator('.rows').waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('title')
      await page.keyboard.press('Escape')
      await expect.poll(() => page.locator('.rows tbody tr').count()).toBe(3)
      for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Title 1 of three' }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Keys' }).waitFor()
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('3')
      await page.getByRole('heading', { name: 'Quarantine' }).waitFor()
      // The next thing is below the heading, not at the beginning of the page.
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').innerText()).toBe('Open')
    })

    it('returns the focus from the list of keys on a narrow page', async () => {
      const url = await serveConsole({ inbox, authorize: () => ({ name: 'Ada' }) })
      const viewport = { width: 600, height: 900 }
      const page = await openScreen(browser(), url, '/overview', { viewport })
      await page.getByRole('button', { name: 'Keys' }).click()
      await page.getByRole('heading', { name: 'Keys' }).waitFor()
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      expect(await page.locator(':focus').innerText()).toBe('Keys')
    })

    it('updates live', async () => {
      const url = await serveConsole({ inbox })
      const page = await openScreen(browser(), url, '/entries')
      await expect.poll(() => page.locator('.rows tbody tr').count()).toBe(3)
      const mark = 'window.wasNotReloaded = true'
      await page.evaluate(mark)
      const event = makeEvent({ type: 'waits_for_a_handler' })
      const waiting = createInbox({ database: database(), source: 'other' })
      await waiting.start()
      const other = await openScreen(browser(), await serveConsole({ inbox: waiting }), '/entries')
      await other.getByText('No events yet. New ones appear here live.').waitFor()
      await other.getByText('npx feed-receiver send model_release').waitFor()
      await waiting.accept(deliveryOf(event))
      await other.locator('.rows .row-link').click()
      await other.getByText('Waits for its handler').waitFor()
      await waiting.work({ '*': () => {} })
      await other.locator('.state-done').waitFor()
      await other.getByText('Handled', { exact: true }).waitFor()
      await waiting.stop()
      await other.getByText('The inbox is not running').waitFor()

      await inbox.accept(deliveryOf(makeEvent({ id: 'screen-4' })))
      await expect.poll(() => page.locator('.rows tbody tr').count()).toBe(4)
      expect(await page.evaluate('window.wasNotReloaded')).toBe(true)
      await page.locator('.rows .state-done').first().waitFor()
    })

    it('shows more than a page, each entry once', async () => {
      await database().query(
        `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
           confirmation, created_at, received_at)
         select 'feed', 'page_' || n, 'done', 'paged', 'p', 'c', 'Paged ' || n, 'confirmed', now(),
           now() - n * interval '1 second'
         from generate_series(1, 620) n`,
      )
      const page = await openScreen(browser(), await serveConsole({ inbox }), '/entries?type=paged')
      const more = page.getByRole('button', { name: 'Show more' })
      const titles = page.locator('.rows .row-link')
      for (let shown = 50; shown < 620; shown += 50) {
        await expect.poll(() => titles.count()).toBe(shown)
        await more.click()
      }
      await expect.poll(() => titles.count()).toBe(620)
      expect(new Set(await titles.allInnerTexts()).size).toBe(620)
      expect(await more.count()).toBe(0)
      expect(await page.locator('.count').innerText()).toBe('620')
    })
  })

  it('shows the content and bytes of an entry, and copies as curl [R73]', async () => {
    const { data } = makeEvent()
    const summary = 'A summary, not the shell: `date` $(date) \' "'
    const event = makeEvent({
      data: { ...data, summary },
      extra: { __proto__: null, 'ä\u2028': 1 },
    })
    const body = Buffer.from(JSON.stringify(event).replace('"extra":{', '"extra":{"__proto__":7,'))
    const headers = {
      'content-type': 'application/json',
      'feed-event-id': event.id,
      'user-agent': "'; touch /tmp/never #",
    }
    const readable = { ...deliveryOf(JSON.parse(body.toString()), body), headers }
    await inbox.accept(readable)
    await inbox.accept(readable)
    const url = await serveConsole({ inbox })
    const page = await openScreen(browser(), url, `/entry?id=${encodeURIComponent(event.id)}`)
    await page.getByRole('heading', { name: 'Northwind 1 is out' }).waitFor()
    await page.getByText(summary, { exact: true }).waitFor()
    await page.getByText('Delivered again: 1 duplicate ignored').waitFor()
    await page.getByRole('button', { name: 'Exact' }).click()
    expect(await page.locator('.raw').textContent()).toBe(body.toString())
    await page.getByText(`${body.length} bytes, SHA-256 ${readable.sha256}`).waitFor()
    await page.getByRole('button', { name: 'Headers' }).click()
    await page.getByText("'; touch /tmp/never #").waitFor()

    const copied = async (label: string) => {
      await page.evaluate(`navigator.clipboard.writeText('')`)
      await page.getByRole('button', { name: label }).click()
      await page.getByText('Copied.').waitFor()
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).not.toBe('')
      return String(await page.evaluate('navigator.clipboard.readText()'))
    }
    expect(await copied('Copy id')).toBe(event.id)
    expect(await copied('Copy body')).toBe(body.toString())

    const curl = await copied('Copy as curl')
    expect(curl).not.toContain('touch')
    const receiver = createReceiver({ secrets: [secret], inbox })
    expect(await runAsCommands(curl, { receiver, secret })).toContain('"status":"duplicate"')

    const fixture = await copied('Copy as test fixture')
    const script = fixture.replace(/^import type .*$/m, '').replace(': FeedEvent', '')
    const module = (await import(`data:text/javascript,${encodeURIComponent(script)}`)) as object
    expect(JSON.stringify(Object.values(module)[0])).toBe(body.toString())
  })

  it('says that an entry, a delivery or a screen does not exist', async () => {
    const page = await openScreen(browser(), await serveConsole({ inbox }), '/entry?id=nobody')
    await page.getByText('No entry has this event id.').waitFor()
    await goTo(page, '/quarantined?id=999999')
    await page.getByText('No quarantined delivery has this number.').waitFor()
    await goTo(page, '/nowhere?%E0%A4%A')
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    expect(await page.title()).toBe('Not found · Inbox · test · embedded database')
  })

  it('shows which secret signs, and which can be removed', async () => {
    const signed = (signedBy: string, minutesAgo: number) => ({
      ...deliveryOf(makeEvent()),
      signedBy,
      signedAt: new Date(Date.now() - minutesAgo * 60_000),
    })
    await inbox.accept(signed('0123456789ab', 30))
    await inbox.accept(signed('ba9876543210', 10))
    const page = await openScreen(browser(), await serveConsole({ inbox }), '/secrets')
    const cards = page.locator('.card')
    await cards.first().waitFor()
    expect(await cards.nth(0).innerText()).toMatch(/ba9876543210\s+Signs now/)
    expect(await cards.nth(1).innerText()).toMatch(/0123456789ab\s+Can be removed/)
  })

  it('says that it lists only the newest 500 deliveries in quarantine', async () => {
    const full = createInbox({ database: database(), source: 'full' })
    await full.start()
    for (let number = 1; number <= 501; number += 1) {
      const { event: _, ...delivery } = deliveryOf({}, Buffer.from(`{"cut ${number}`))
      await full.quarantine({ ...delivery, detail: 'cut off', eventId: null }, 'not_json')
    }
    const page = await openScreen(browser(), await serveConsole({ inbox: full }), '/quarantine')
    const rows = page.locator('.rows tbody tr')
    for (let shown = 50; shown < 500; shown += 50) {
      await expect.poll(() => rows.count()).toBe(shown)
      await page.getByRole('button', { name: 'Show more' }).click()
    }
    await expect.poll(() => rows.count()).toBe(500)
    await page.getByText('Only the newest 500 are shown.').waitFor()
    await full.stop()
  })

  it('shows pushed and pulled events, and what to do if push is paused', async () => {
    const fed = createInbox({ database: database(), source: 'fed' })
    await fed.start()
    const page = await openScreen(browser(), await serveConsole({ inbox: fed }), '/feed')
    await page.getByText('Start a poller').waitFor()
    const stream = 'default http://localhost/v1/events'
    const at = new Date(Date.now() - 3 * 3_600_000)
    const { event } = deliveryOf(makeEvent({ created_at: new Date().toISOString() }))
    await fed.acceptPage([event], { stream, at, expects: () => true })
    await page.getByText('Push is probably paused').waitFor()
    await page.getByText('Send a test delivery').waitFor()
    await page.getByText('No poller has read default').waitFor()
    const usage = { requests: 50, limit: 1_000, period: '2026-11', resetsAt: at.toISOString() }
    const corrected = { ...event, data: { ...event.data, title: 'A better title' } }
    const now = { stream, usage, gapCode: 'invalid_request' }
    await fed.acceptPage([corrected], now)
    await page.getByText('Up to date').waitFor()
    await page.getByText('50 of 1,000 requests').waitFor()
    await page.getByText('The service rejected the cursor').waitFor()
    await goTo(page, '/overview')
    await page.getByText('1 by pull only').waitFor()
    await page.getByRole('link', { name: 'See missed events' }).click()
    await page.getByRole('link', { name: 'A better title' }).click()
    await page.getByText('by pull only', { exact: true }).waitFor()
    await page.locator('.compare .differs').waitFor()
    expect(await page.locator('.compare .differs').allInnerTexts()).toEqual([
      expect.stringMatching(/Northwind 1 is out.*A better title/s),
    ])
    await page.getByText('Revision 2: changed before it was handled').waitFor()

    fed.answered({ notes: [], reason: 'signature_mismatch', status: 401, durationMs: 1 })
    await expect.poll(() => fed.rejections()).toHaveLength(1)
    await goTo(page, '/overview')
    await page.getByText('The feed is probably paused').waitFor()
    await page.getByText('1 × Wrong signature').waitFor()
    // One banner says all of it.
    expect(await page.getByText('Push is probably paused').count()).toBe(0)
    expect(await page.getByText('current signing secret').count()).toBe(1)
    await page.goBack()

    await fed.accept(deliveryOf(event))
    await page.getByText('by push and pull').waitFor()
    await goTo(page, '/feed')
    await page.getByText('No missed events.').waitFor()
    expect(await page.getByText('Push is probably paused').count()).toBe(0)
    await fed.stop()
  })

  it('sums up deliveries, and links to dead entries', async () => {
    const event = makeEvent()
    failing.add(event.id)
    await inbox.accept(deliveryOf(event))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('dead')
    const page = await openScreen(browser(), await serveConsole({ inbox }))
    await page.locator('.plot rect.tone-done').first().waitFor()
    await page.locator('.plot rect.tone-dead').first().waitFor()
    const figure = (label: string) =>
      page.locator('.figure').filter({ hasText: label }).locator('dd').first().innerText()
    expect(Number(await figure('Accepted'))).toBeGreaterThan(620)
    await expect.poll(() => figure('Dead')).toBe('1')
    await page.getByRole('button', { name: '7 days' }).click()
    await expect.poll(() => page.url()).toContain('hours=168')
    await page.getByRole('button', { name: 'By type' }).click()
    await page.locator('.legend').getByText('model_release').waitFor()
    await expect.poll(() => page.url()).toContain('by=type')
    await page.getByRole('link', { name: '1 entry is dead' }).click()
    await page.locator('.rows .state-dead').waitFor()
    await page.locator('.rows').getByText('1 attempt: The page cannot be sent.').waitFor()
  })

  it('shows the age of a new entry in seconds', async () => {
    const waiting = createInbox({ database: database(), source: 'waiting' })
    await waiting.start()
    const page = await openScreen(browser(), await serveConsole({ inbox: waiting }), '/quarantine')
    await waiting.accept(deliveryOf(makeEvent()))
    await goTo(page, '/overview')
    const pending = page.locator('.figure').filter({ hasText: 'Pending' })
    expect(await pending.locator('.hint').innerText()).toMatch(/^oldest: \d+ s$/)
    await waiting.stop()
  })

  it('filters failing entries, and shows the same state on each', async () => {
    const shaky = createInbox({ database: database(), source: 'shaky' })
    await shaky.start()
    await shaky.work({
      '*': () => {
        throw new Error('postgres://ada:hunter2@db/app says no.')
      },
    })
    const event = makeEvent()
    await shaky.accept(deliveryOf(event))
    const page = await openScreen(browser(), await serveConsole({ inbox: shaky }))
    const figure = page.locator('.figure').filter({ hasText: 'Failing' })
    await expect.poll(() => figure.locator('dd').innerText()).toBe('1')
    await page.getByRole('link', { name: 'Failing' }).click()
    await expect.poll(() => page.url()).toContain('state=failing')
    await page.locator('.rows .state-failing').waitFor()
    await page.getByText(/^Attempt \d+ of 11: postgres:.*db\/app says no\.$/).waitFor()
    expect(await page.locator('main').innerText()).not.toContain('hunter2')
    await expect.poll(() => page.locator('.count').innerText()).toBe('1')
    expect(await page.getByRole('button', { name: 'Failing' }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    await page.locator('.row-link').click()
    await page.locator('.head .state-failing').waitFor()
    await shaky.stop()
  })

  it('offers no retry or reprocess of a test delivery', async () => {
    const event = makeEvent({ type: 'destination_test' })
    await inbox.accept(deliveryOf(event))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('skipped')
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, `/entry?id=${event.id}`)
    await page.getByText('It reaches no handler').waitFor()
    await page.getByText('Arrived: test deliveries reach no handler').waitFor()
    const offers = page.getByRole('button', { name: /Retry|Reprocess/ })
    expect(await offers.count()).toBe(0)
    await goTo(page, '/entries?state=skipped&type=destination_test')
    await page.locator('.rows').waitFor()
    expect(await offers.count()).toBe(0)
  })
})
