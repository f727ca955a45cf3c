/**
 * Takes pictures of every screen of the console over a made-up day: node --import tsx
 * --conditions=@feed-receiver/source test/browser/screenshots.ts <folder>.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { reasons, type Rejected } from '@feed-receiver/core'
import { until } from '../support/until.ts'
import { goToScreen, showConsole, type ShownConsole } from './show-console.ts'

const folder = process.argv[2] ?? 'screenshots'
mkdirSync(folder, { recursive: true })

await showConsole(async (shown) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await shoot(shown, colorScheme, { width: 1280, height: 860 }, 'desktop')
    await shoot(shown, colorScheme, { width: 360, height: 760 }, 'phone')
  }
  await pause(shown)
  await shootPause(shown, { width: 1280, height: 860 }, 'desktop')
  await shootPause(shown, { width: 360, height: 760 }, 'phone')
  await makeTrouble(shown)
  for (const colorScheme of ['light', 'dark'] as const) {
    await shootTrouble(shown, colorScheme, { width: 1280, height: 860 }, 'desktop')
    await shootTrouble(shown, colorScheme, { width: 360, height: 760 }, 'phone')
  }
})

async function shoot(
  { url, database, browser, enter }: ShownConsole,
  colorScheme: 'light' | 'dark',
  viewport: { width: number; height: number },
  device: string,
): Promise<void> {
  const look = { colorScheme, viewport, deviceScaleFactor: 1.5 }
  const nameOf = (name: string) => join(folder, `${name}-${device}-${colorScheme}.png`)

  const login = await browser.newPage(look)
  await login.goto(url)
  await login.getByLabel('Token').waitFor()
  await login.screenshot({ path: nameOf('login') })
  await login.close()

  const page = await enter(look)
  const save = (name: string) => page.screenshot({ path: nameOf(name) })
  await save('overview')
  await goToScreen(page, 'entries', '.rows')
  await save('entries')
  await goToScreen(page, 'entries?state=dead', '.rows')
  await page.getByRole('button', { name: 'Retry all' }).click()
  await page.getByRole('heading', { name: /^Retry \d/ }).waitFor()
  await save('retry-many')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.rows .row-link').first().click()
  await page.locator('.timeline').waitFor()
  await save('entry')
  await goToScreen(page, 'quarantine', '.rows')
  await save('quarantine')
  await page.getByRole('link', { name: 'Same id' }).click()
  await page.locator('.compare').waitFor()
  await save('conflict')
  await goToScreen(page, 'secrets', '.card')
  await save('secrets')
  await goToScreen(page, 'feed', '.rows')
  await save('feed')
  const { rows } = await database.query<{ id: string }>(
    'select event_id as id from feed_inbox.entry where revision > 2',
  )
  await goToScreen(page, `entry?id=${encodeURIComponent(rows[0]?.id ?? '')}`, '.compare')
  await save('revised')
  await page.locator('.compare').scrollIntoViewIfNeeded()
  await save('revisions')
  await page.context().close()
}

/** As if push had been silent for long: what pull brought since stands out. */
async function pause({ database }: ShownConsole): Promise<void> {
  await database.query(`update feed_inbox.entry set last_push_at = last_push_at - interval '1 day'`)
}

async function shootPause(
  { enter }: ShownConsole,
  viewport: { width: number; height: number },
  device: string,
): Promise<void> {
  const page = await enter({ viewport, deviceScaleFactor: 1.5 })
  await page.locator('.pause').waitFor()
  await page.screenshot({ path: join(folder, `pause-${device}-light.png`) })
  await page.context().close()
}

/** Deliveries that were rejected, one of which pauses the feed, and handling that is paused. */
async function makeTrouble({ inbox }: ShownConsole): Promise<void> {
  const reject = (reason: Rejected, count: number, error?: Error) => {
    const { status } = reasons[reason]
    for (let number = 0; number < count; number += 1) {
      inbox.answered({ reason, status, notes: [], durationMs: 1, ...(error && { error }) })
    }
  }
  reject('method_not_allowed', 2)
  reject('store_failed', 12, new Error('connect ECONNREFUSED 10.0.4.17:5432'))
  reject('signature_mismatch', 3)
  await until('they are counted', async () => (await inbox.rejections()).length === 3)
  await inbox.pause({ reason: 'Release of 4.2: the search index is rebuilt.', by: 'Grace' })
  const types = ['model_release', 'pricing_changed']
  await inbox.pause({ types, reason: 'The pricing table is locked.', by: 'Ada' })
}

async function shootTrouble(
  { enter }: ShownConsole,
  colorScheme: 'light' | 'dark',
  viewport: { width: number; height: number },
  device: string,
): Promise<void> {
  const page = await enter({ colorScheme, viewport, deviceScaleFactor: 1.5 })
  const save = (name: string) =>
    page.screenshot({ path: join(folder, `${name}-${device}-${colorScheme}.png`) })
  await page.locator('.paused').waitFor()
  await save('trouble')
  await page.getByRole('button', { name: 'Pause …' }).click()
  await page.getByLabel('Reason').waitFor()
  await save('pause-dialog')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await goToScreen(page, 'feed', '.paused-bar')
  await save('rejected')
  await page.context().close()
}
