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

  describe('lets in', () => {
    it('whoever types the token, and nobody else', async () => {
      const page = await openPage(browser(), await serveConsole({ inbox, readOnly: false }))
      await page.getByLabel('Token').fill('something else entirely')
      await page.getByLabel('Your name').fill('Ada')
      await page.getByRole('button', { name: 'Look inside' }).click()
      await page.getByText('This is not the token').waitFor()
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      expect(await page.evaluate('document.cookie')).toBe('')
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('Token').waitFor()
    })

    it('whoever follows a link with the token, which leaves the address', async () => {
      const page = await openScreen(browser(), await serveConsole({ inbox }))
      expect(page.url()).not.toContain(token)
      expect(await page.title()).toBe('Overview · Inbox')
    })

    it('and goes where a link leads that is followed before anything else happens', async () => {
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

    it('whoever follows one while the server does not answer yet', async () => {
      const url = await serveConsole({ inbox })
      const page = await openPage(browser(), url)
      await page.getByLabel('Token').waitFor()
      await page.route('**/api/session', (route) => route.abort(), { times: 1 })
      await page.goto(`${url}?again#token=${token}&name=Ada`)
      await page.getByText('The server does not answer.').waitFor()
      expect(page.url()).not.toContain(token)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    })

    it('whom it could not log out, for as long as that is so', async () => {
      const page = await openScreen(browser(), await serveConsole({ inbox }))
      await page.route('**/api/logout', (route) => route.abort(), { times: 1 })
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByText('The server does not answer. Try again').waitFor()
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('Token').waitFor()
    })

    it('only through the app, where that says who may look', async () => {
      const closed = await serveConsole({ inbox, authorize: () => null })
      const page = await openPage(browser(), closed)
      await page.getByText('You may not look at this inbox.').waitFor()
      expect(await page.getByLabel('Token').count()).toBe(0)
    })
  })

  describe('lists entries that', () => {
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

    it('are searched and filtered, and whose link shows the same to others', async () => {
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
      await other.getByText('No entry is like this.').waitFor()
      await other.getByRole('link', { name: 'Show all' }).click()
      await expect.poll(() => other.locator('.rows tbody tr').count()).toBe(3)
      await other.getByLabel('Received').selectOption('between')
      await other.getByLabel('Received since').fill('2020-01-01T00:00')
      await other.getByLabel('Received before').fill('2020-01-02T00:00')
      await other.getByText('No entry is like this.').waitFor()
    })

    it('are gone through by keys alone', async () => {
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

    it('come and change while somebody looks', async () => {
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

    it('are more than a page, each once', async () => {
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

  it('shows one entry: what it says, its bytes, and how to send it again', async () => {
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
    await page.getByText('Delivered again: 1 repeat absorbed').waitFor()
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

  it('says what it does not find', async () => {
    const page = await openScreen(browser(), await serveConsole({ inbox }), '/entry?id=nobody')
    await page.getByText('There is no entry of an event with this id.').waitFor()
    await goTo(page, '/quarantined?id=999999')
    await page.getByText('There is no such row in quarantine.').waitFor()
    await goTo(page, '/nowhere?%E0%A4%A')
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor()
    expect(await page.title()).toBe('Nothing here · Inbox')
  })

  it('says which secrets sign, and which may go', async () => {
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
    expect(await cards.nth(1).innerText()).toMatch(/0123456789ab\s+May be removed/)
  })

  it('says what push and pull have brought, and what to do where push is paused', async () => {
    const fed = createInbox({ database: database(), source: 'fed' })
    await fed.start()
    const page = await openScreen(browser(), await serveConsole({ inbox: fed }), '/feed')
    await page.getByText('start a poller').waitFor()
    const stream = 'default http://localhost/v1/events'
    const at = new Date(Date.now() - 3 * 3_600_000)
    const { event } = deliveryOf(makeEvent({ created_at: new Date().toISOString() }))
    await fed.acceptPage([event], { stream, at, expects: () => true })
    await page.getByText('Push is probably paused').waitFor()
    await page.getByText('Send a test delivery').waitFor()
    await page.getByText('Nobody seems to poll it').waitFor()
    const usage = { requests: 50, limit: 1_000, period: '2026-11', resetsAt: at.toISOString() }
    const corrected = { ...event, data: { ...event.data, title: 'A better title' } }
    const now = { stream, usage, gapCode: 'invalid_request' }
    await fed.acceptPage([corrected], now)
    await page.getByText('Up to date').waitFor()
    await page.getByText('50 of 1,000 requests').waitFor()
    await page.getByText('The service did not take the cursor').waitFor()
    await goTo(page, '/overview')
    await page.getByText('1 only by pull').waitFor()
    await page.getByRole('link', { name: 'See what was missed' }).click()
    await page.getByRole('link', { name: 'A better title' }).click()
    await page.getByText('by pull alone', { exact: true }).waitFor()
    await page.locator('.compare .differs').waitFor()
    expect(await page.locator('.compare .differs').allInnerTexts()).toEqual([
      expect.stringMatching(/Northwind 1 is out.*A better title/s),
    ])
    await page.getByText('Revision 2: changed before it was handled').waitFor()

    await fed.accept(deliveryOf(event))
    await page.getByText('by push and by pull').waitFor()
    await goTo(page, '/feed')
    await page.getByText('Nothing is known to be missed.').waitFor()
    expect(await page.getByText('Push is probably paused').count()).toBe(0)
    await fed.stop()
  })

  it('sums up what came, and says what is worth a look', async () => {
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

  it('finds what fails by its state, the same in the list and on its own screen', async () => {
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
    expect(await page.locator('.count').innerText()).toBe('1')
    expect(await page.getByRole('button', { name: 'Failing' }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    await page.locator('.row-link').click()
    await page.locator('.head .state-failing').waitFor()
    await shaky.stop()
  })

  it('offers no retry and no replay of a test delivery, which reaches no handler', async () => {
    const event = makeEvent({ type: 'destination_test' })
    await inbox.accept(deliveryOf(event))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('skipped')
    const url = await serveConsole({ inbox, readOnly: false })
    const page = await openScreen(browser(), url, `/entry?id=${event.id}`)
    await page.getByText('no handler gets it').waitFor()
    await page.getByText('Arrived: no handler gets test deliveries').waitFor()
    const offers = page.getByRole('button', { name: /Retry|Replay/ })
    expect(await offers.count()).toBe(0)
    await goTo(page, '/entries?state=skipped&type=destination_test')
    await page.locator('.rows').waitFor()
    expect(await offers.count()).toBe(0)
  })
})
