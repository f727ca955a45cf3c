import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { createConsole } from '@feed-receiver/console'
import { createReceiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { createSandbox, type Sandbox } from '@feed-receiver/sandbox'
import { devPage as folder } from 'feed-receiver/internal'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../contract/listen.ts'
import { createTarget, useDatabase } from '../support/databases.ts'
import { openPage } from './open-page.ts'
import { useBrowser } from './use-browser.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const secret = 'feed_whsec_of_the_app_beside_the_page'

describe('the page of feed-receiver dev', () => {
  const browser = useBrowser()
  const database = useDatabase('postgres')
  let inbox: Inbox
  let sandbox: Sandbox
  let app: Awaited<ReturnType<typeof listen>>
  let drop: () => Promise<void>
  let hasInbox = true
  let status: number | null = null

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await inbox.work({
      model_release: (_, { effects }) => effects.once('page the team', () => undefined),
      release_note: () => {
        throw new Error('The page cannot be sent.')
      },
    })
    const console = createConsole({
      inbox,
      readOnly: false,
      authorize: () => ({ name: 'Ada' }),
      reproduce: async () => '// a test',
    })
    const receiver = createReceiver({ secrets: [secret], inbox })
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const reply = await receiver.receive(fromNode(request))
      if (status !== null && reply.status < 300) response.writeHead(status).end()
      else response.writeHead(reply.status, { ...reply.headers }).end(reply.body)
    }
    app = await listen((request, response) => void answer(request, response))
    const made = await createTarget('postgres')
    drop = made.drop
    sandbox = createSandbox({
      database: made.target,
      port: 0,
      historyDays: 0,
      page: {
        folder,
        inbox: async (request) =>
          hasInbox
            ? await console(request)
            : Response.json(
                { error: 'The app has no inbox yet.', code: 'no_inbox' },
                { status: 503 },
              ),
      },
    })
    await sandbox.start()
  }, 120_000)
  afterAll(async () => {
    await sandbox.stop()
    await app.close()
    await inbox.stop()
    await drop()
  })

  it('says that no app is connected and how to trigger an event', async () => {
    const page = await open()
    await page.getByText('No app is connected yet.').waitFor()
    await page.getByText(/No events yet\. Press t to trigger one\./).waitFor()
  })

  it('follows an event from its publication to its handler', async () => {
    await connect()
    const page = await open()
    await sandbox.control.composeEvent({ eventType: 'model_release', title: 'A model to follow' })
    const row = rowOf(page, 'A model to follow')
    await row.getByText('delivered · 202').waitFor()
    await row.getByText('Done').waitFor()
    await row.getByRole('link').click()
    await page.getByRole('heading', { name: 'A model to follow' }).waitFor()
    const moments = [
      'Published',
      /^Attempt 1 answered 202 in \d+ ms$/,
      'Effect: page the team',
      'Handled',
    ]
    for (const moment of moments) {
      await page.locator('.moment').getByText(moment).waitFor()
    }
    await page.getByRole('link', { name: 'Open in the inbox' }).click()
    await page.getByText('Signed with the secret').waitFor()
    await page.getByRole('link', { name: 'Test file' }).waitFor()
    await page.getByRole('link', { name: 'Open in the feed' }).click()
    await page.getByRole('button', { name: 'Retract' }).waitFor()
    await page.getByRole('link', { name: 'Open in the inbox' }).click()
    await page.getByText('Signed with the secret').waitFor()
    await page.getByRole('link', { name: 'Show on the timeline' }).click()
    await page.locator('.moment').getByText('Published').waitFor()
  })

  it('publishes, fails and resends by keyboard, and opens the entry', async () => {
    await connect()
    const page = await open()
    await page.keyboard.press('f')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Fails with').selectOption('lose_answer')
    await dialog.getByRole('button', { name: 'Make it fail' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('t')
    await dialog.getByLabel('Title').fill('Made by keys')
    await dialog.getByRole('button', { name: 'Publish' }).click()
    const row = rowOf(page, 'Made by keys')
    await row.getByText('scheduled · 202').waitFor()
    await row.getByRole('link').focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Stored, with a job for its handler').waitFor()

    await page.goto(`${sandbox.url}/_sandbox/#/timeline`)
    await sandbox.control.composeEvent({ title: 'To be sent again' })
    const again = rowOf(page, 'To be sent again')
    await again.getByText('delivered · 202').waitFor()
    await again.getByRole('link').focus()
    await page.keyboard.press('r')
    await again.getByText('delivered · 200 · 2 attempts').waitFor()
  })

  it('publishes with Enter an event of a type that the app handles', async () => {
    await connect()
    const page = await open()
    await sandbox.control.composeEvent({ eventType: 'outage_started', title: 'Without a handler' })
    await rowOf(page, 'Without a handler').getByText('Skipped').waitFor()
    await page.keyboard.press('t')
    const dialog = page.getByRole('dialog')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('eventType')
    expect(await page.evaluate('document.activeElement.value')).toBe('model_release')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/^Published: /).waitFor()
  })

  it('opens the dialog of a key that is pressed right after Escape', async () => {
    const page = await open()
    const shows = (title: string) => page.getByRole('dialog', { name: title }).waitFor()
    await page.getByRole('button', { name: 'Keys' }).waitFor()
    for (const [key, title] of [
      ['f', 'Make the next delivery fail'],
      ['t', 'Publish an event'],
    ] as const) {
      await page.keyboard.press('t')
      await shows('Publish an event')
      await page.keyboard.press('Escape')
      await page.keyboard.press(key)
      await shows(title)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('t')
    await shows('Publish an event')
    // The key comes before the event of the close, as it may when it is typed quickly.
    await page.evaluate(`document.querySelector('dialog').close()
      dispatchEvent(new KeyboardEvent('keydown', { key: 'f' }))
      new Promise((resolve) => setTimeout(resolve, 100))`)
    await shows('Make the next delivery fail')
  })

  it('shows in amber that an event is failing, with the time of its next attempt', async () => {
    await connect()
    const page = await open()
    await sandbox.control.composeEvent({ eventType: 'release_note', title: 'One that fails' })
    const row = rowOf(page, 'One that fails')
    await row.locator('.state-failing.warn').getByText('Failing').waitFor()
    await row.getByText(/again (?:in \d+ s|now)$/).waitFor()
    await page.getByRole('link', { name: 'Entries' }).waitFor()
  })

  it('shows a whole notice below the navigation of a low window', async () => {
    await connect()
    const page = await open({ viewport: { width: 1280, height: 560 } })
    await page.keyboard.press('t')
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('eventType')
    await page.keyboard.press('Enter')
    const notice = page.getByText(/^Published: /)
    await notice.waitFor()
    const hiddenPixels = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(
      document.querySelector('.notices'))`
    await expect.poll(() => page.evaluate(hiddenPixels)).toBe(0)
    await notice.scrollIntoViewIfNeeded()
    expect(await notice.isVisible()).toBe(true)
  })

  it('says that an answer paused the feed', async () => {
    await connect()
    const page = await open()
    status = 410
    await sandbox.control.composeEvent({ title: 'The one that pauses' })
    await page.getByText('paused the feed.').waitFor()
    await rowOf(page, 'The one that pauses').getByRole('link').click()
    await page
      .locator('.moment')
      .getByText(/^Attempt 1 answered 410/)
      .waitFor()
    await page.getByText('This answer paused the feed').waitFor()
    status = null
    await connect()
    await page.goto(`${sandbox.url}/_sandbox/#/timeline`)
    await page.getByText('paused the feed.').waitFor({ state: 'detached' })
  })

  it('works without an inbox, and shows one when it appears', async () => {
    hasInbox = false
    const page = await open()
    await page.getByText('The app has no inbox yet.').waitFor()
    await page.goto(`${sandbox.url}/_sandbox/#/entries`)
    await page.getByText('The app has no inbox yet.').waitFor()
    hasInbox = true
    await page.locator('.rows').waitFor()
  })

  it('renders only the visible rows of thousands of events', async () => {
    await connect()
    await database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at, handled_at)
       select 'feed', 'many_' || n, 'done', 'many', 'p', 'c', 'Event ' || n, 'confirmed', now(),
         now() - n * interval '1 second', now()
       from generate_series(1, 2000) n`,
    )
    const page = await open()
    await page.locator('.event-row').first().waitFor()
    for (let clicks = 0; clicks < 4; clicks += 1) {
      await page.getByRole('button', { name: 'Show older' }).click()
    }
    await expect
      .poll(() => page.locator('.long-list li').first().getAttribute('aria-setsize'))
      .toMatch(/^20\d\d$/)
    await page.keyboard.press('End')
    await page.getByRole('link', { name: 'Event 2000', exact: true }).waitFor()
    expect(await page.locator('.event-row').count()).toBeLessThan(100)
  })

  it('loads less than 40 kB of compressed script', async () => {
    const assets = new URL('assets/', folder)
    const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
    const sizes = scripts.map((name) => gzipSync(readFileSync(new URL(name, assets))).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000)
  })

  const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [1280, 360].map((width) => ({ colorScheme, width })),
  )
  it.each(looks)(
    'is accessible in $colorScheme at a width of $width',
    async ({ colorScheme, width }) => {
      await connect()
      const { id } = await sandbox.control.composeEvent({ title: 'An event for everybody' })
      const page = await open({ colorScheme, viewport: { width, height: 800 } })
      await rowOf(page, 'An event for everybody').first().getByText('delivered').waitFor()
      await expectFine(page)
      await page.goto(`${sandbox.url}/_sandbox/#/story?id=${id}`)
      await page.getByText(/^Attempt 1 answered/).waitFor()
      await expectFine(page)
    },
  )

  async function connect(): Promise<void> {
    await sandbox.control.forwardTo({ url: `http://127.0.0.1:${app.port}/webhooks/feed`, secret })
  }

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(browser(), sandbox.controlUrl, options)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    return page
  }
})

function rowOf(page: Page, title: string) {
  return page.locator('.event-row').filter({ hasText: title })
}

/** Nothing sticks out, and axe finds nothing. */
async function expectFine(page: Page): Promise<void> {
  const [wide, room] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  expect(wide).toBeLessThanOrEqual(room)
  await page.evaluate(axe)
  const { violations } = await page.evaluate<{ violations: unknown[] }>('axe.run()')
  expect(violations).toEqual([])
}
