import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createConsole } from '@feed-receiver/console'
import { openDatabase, type Database } from '@feed-receiver/database'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { listen } from '../contract/listen.ts'
import { openBrowser } from './chromium.ts'
import { fillShowcase } from './fill-showcase.ts'

const token = 'screenshots-0123456789abcdef'

export interface ShownConsole {
  url: string
  inbox: Inbox
  database: Database
  browser: Browser
  /** A page in a window of its own, logged in as Ada, at the overview. */
  enter(options: BrowserContextOptions): Promise<Page>
}

/** Opens a browser and a console over a made-up day, for as long as the work with them takes. */
export async function showConsole(work: (shown: ShownConsole) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'feed-receiver-screenshots-'))
  const database = openDatabase({ folder })
  const inbox = createInbox({ database })
  await inbox.start()
  await fillShowcase(inbox, database)
  const handle = toNodeHandler(createConsole({ inbox, token, readOnly: false }))
  const server = await listen((request, response) => void handle(request, response))
  const url = `http://127.0.0.1:${server.port}/ops/console/`
  const browser = await openBrowser()
  try {
    await work({ url, inbox, database, browser, enter })
  } finally {
    await browser.close()
    await server.close()
    await inbox.stop()
    await database.close()
    rmSync(folder, { recursive: true })
  }

  async function enter(options: BrowserContextOptions): Promise<Page> {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${url}#token=${token}&name=Ada`)
    await page.locator('.plot').waitFor()
    return page
  }
}

/** Follows a link within the console, until what it leads to is there. */
export async function goToScreen(page: Page, route: string, sight: string): Promise<void> {
  await page.goto(new URL(`#/${route}`, page.url()).href)
  await page.locator(sight).first().waitFor()
}
