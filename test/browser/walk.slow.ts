import type { IncomingMessage, ServerResponse } from 'node:http'
import { createConsole } from '@feed-receiver/console'
import { createReceiver } from '@feed-receiver/core'
import { fromNode } from '@feed-receiver/core/node'
import { signDelivery } from '@feed-receiver/core/testing'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { createSandbox, type Sandbox } from '@feed-receiver/sandbox'
import { devPage } from 'feed-receiver/internal'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeEvent } from '../contract/harness.ts'
import { listen } from '../contract/listen.ts'
import { createTarget, useDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'
import { openScreen, serveConsole } from './console-page.ts'
import { openPage } from './open-page.ts'
import { useBrowser } from './use-browser.ts'

const secret = 'feed_whsec_of_the_app_on_the_walk'

/** What each screen of the console shows once it has loaded. */
const consoleScreens = {
  overview: '.plot',
  entries: '.rows',
  entry: 'text=page the team',
  quarantine: '.rows',
  quarantined: 'text=9.9',
  feed: 'text=No polling yet.',
  secrets: '.card',
}

/** The same of dev, which has those of the sandbox and of the console. */
const devScreens = {
  timeline: '.event-row',
  story: '.moment',
  events: 'text=A model on the walk',
  destinations: 'text=webhooks/feed',
  deliveries: 'text=A model on the walk',
  requests: 'text=No requests yet.',
  faults: 'text=No delivery faults.',
  accounts: 'text=acct_sandbox',
  everything: 'text=Export',
  event: 'text=A model on the walk',
  destination: 'text=webhooks/feed',
  delivery: 'text=202',
  ...consoleScreens,
}

describe('a walk through every screen shows no error', () => {
  const browser = useBrowser()
  const database = useDatabase('postgres', 'inbox')
  let inbox: Inbox
  let sandbox: Sandbox
  let app: Awaited<ReturnType<typeof listen>>
  let drop: () => Promise<void>
  let details: Record<string, string>

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
    await inbox.work({ '*': (_, { effects }) => effects.once('page the team', () => undefined) })
    const receiver = createReceiver({ secrets: [secret], inbox })
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const reply = await receiver.receive(fromNode(request))
      response.writeHead(reply.status, { ...reply.headers }).end(reply.body)
    }
    app = await listen((request, response) => void answer(request, response))
    const made = await createTarget('postgres')
    drop = made.drop
    const console = createConsole({ inbox, readOnly: false, authorize: () => ({ name: 'Ada' }) })
    const page = { folder: devPage, inbox: console }
    sandbox = createSandbox({ database: made.target, port: 0, historyDays: 1, page })
    await sandbox.start()
    details = await makeDetails()
  })
  afterAll(async () => {
    await sandbox.stop()
    await app.close()
    await inbox.stop()
    await drop()
  })

  it('of dev', async () => {
    const page = await openPage(browser(), sandbox.controlUrl)
    await walk(page, devScreens)
  })

  it('of the console', async () => {
    const page = await openScreen(browser(), await serveConsole({ inbox, readOnly: false }))
    await walk(page, consoleScreens)
  })

  /** An event from its publication to its handler, and a delivery in quarantine. */
  async function makeDetails(): Promise<Record<string, string>> {
    const { control } = sandbox
    const url = `http://127.0.0.1:${app.port}/webhooks/feed`
    await control.forwardTo({ url, secret })
    const { id: event } = await control.composeEvent({ title: 'A model on the walk' })
    const entry = await until('the event is handled', async () => {
      const found = await inbox.entries.get(event)
      return found?.state === 'done' && found
    })
    const { body, headers } = signDelivery({ ...makeEvent(), schema_version: '9.9' }, { secret })
    await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
    const [quarantined] = (await inbox.quarantined.list()).quarantined
    const [delivery] = await control.listDeliveries({})
    const idOf = (id: unknown) => `?id=${encodeURIComponent(String(id))}`
    return {
      story: idOf(event),
      event: idOf(event),
      destination: idOf(delivery?.destinationId),
      delivery: idOf(delivery?.id),
      entry: idOf(entry.eventId),
      quarantined: idOf(quarantined?.id),
    }
  }

  /** Opens each screen by its link. `openPage` fails the test on any error that the page meets. */
  async function walk(page: Page, shownBy: Record<string, string>): Promise<void> {
    await page.locator('nav a').first().waitFor()
    const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.hash))
    expect(Object.keys(shownBy)).toEqual(expect.arrayContaining(links.map((link) => link.slice(2))))
    for (const [name, shown] of Object.entries(shownBy)) {
      await page.goto(new URL(`#/${name}${details[name] ?? ''}`, page.url()).href)
      await page.locator('main').locator(shown).first().waitFor({ timeout: 10_000 })
      expect((await page.getByRole('alert').allInnerTexts()).join('')).toBe('')
    }
  }
})
