/**
 * Takes pictures of the console over a made-up day: node --import tsx
 * --conditions=@feed-receiver/source test/browser/screenshots.ts <folder>. The README of the console
 * shows overview-desktop-light.png as packages/console/overview.png.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler } from '@feed-receiver/core/node'
import { createConsole } from '@feed-receiver/console'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import type { Page } from 'playwright-core'
import { listen } from '../contract/listen.ts'
import { openBrowser } from './chromium.ts'
import { fillShowcase } from './fill-showcase.ts'

const token = 'screenshots-0123456789abcdef'
const folder = process.argv[2] ?? 'screenshots'
const data = mkdtempSync(join(tmpdir(), 'feed-receiver-screenshots-'))
mkdirSync(folder, { recursive: true })

const database = openDatabase({ folder: data })
const inbox = createInbox({ database })
await inbox.start()
await fillShowcase(inbox, database)
const { rows } = await database.query<{ id: string }>(
  'select event_id as id from feed_inbox.entry where revision > 2',
)
const revised = rows[0]?.id ?? ''
const handle = toNodeHandler(createConsole({ inbox, token, readOnly: false }))
const server = await listen((request, response) => void handle(request, response))
const browser = await openBrowser()
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    await shoot(colorScheme, { width: 1280, height: 860 }, 'desktop')
    await shoot(colorScheme, { width: 390, height: 844 }, 'phone')
  }
  await pause()
  await shootPause({ width: 1280, height: 860 }, 'desktop')
  await shootPause({ width: 390, height: 844 }, 'phone')
} finally {
  await browser.close()
  await server.close()
  await inbox.stop()
  await database.close()
  rmSync(data, { recursive: true })
}

async function shoot(
  colorScheme: 'light' | 'dark',
  viewport: { width: number; height: number },
  device: string,
): Promise<void> {
  const context = await browser.newContext({ colorScheme, viewport, deviceScaleFactor: 1.5 })
  const page = await context.newPage()
  const save = (name: string) =>
    page.screenshot({ path: join(folder, `${name}-${device}-${colorScheme}.png`) })
  const url = `http://127.0.0.1:${server.port}/ops/console/`

  await page.goto(url)
  await page.getByLabel('Token').waitFor()
  await save('login')
  await page.goto(`${url}#token=${token}&name=Ada`)
  await page.reload()
  await page.locator('.plot').waitFor()
  await save('overview')
  await open(page, 'entries', '.rows')
  await save('entries')
  await open(page, 'entries?state=dead', '.rows')
  await page.getByRole('button', { name: 'Retry all' }).click()
  await page.getByRole('heading', { name: /^Retry \d/ }).waitFor()
  await save('retry-many')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.rows .row-link').first().click()
  await page.locator('.timeline').waitFor()
  await save('entry')
  await open(page, 'quarantine', '.card')
  await save('quarantine')
  await page.getByRole('link', { name: 'Same id' }).click()
  await page.locator('.compare').waitFor()
  await save('conflict')
  await open(page, 'secrets', '.card')
  await save('secrets')
  await open(page, 'feed', '.rows')
  await save('feed')
  await open(page, `entry?id=${encodeURIComponent(revised)}`, '.compare')
  await save('revised')
  await page.locator('.compare').scrollIntoViewIfNeeded()
  await save('revisions')
  await context.close()
}

async function shootPause(viewport: { width: number; height: number }, device: string) {
  const context = await browser.newContext({ viewport, deviceScaleFactor: 1.5 })
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${server.port}/ops/console/#token=${token}&name=Ada`)
  await page.locator('.pause').waitFor()
  await page.screenshot({ path: join(folder, `pause-${device}-light.png`) })
  await context.close()
}

/** As if push had been silent for long: what pull brought since stands out. */
async function pause(): Promise<void> {
  await database.query(`update feed_inbox.entry set last_push_at = last_push_at - interval '1 day'`)
}

async function open(page: Page, route: string, sight: string): Promise<void> {
  await page.goto(new URL(`#/${route}`, page.url()).href)
  await page.locator(sight).first().waitFor()
}
