import { readFileSync } from 'node:fs'
import { reasons } from '@feed-receiver/core'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { createAlerts, type Alerts } from '@feed-receiver/operate/alerts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'
import { goTo, openPage, openScreen, serveConsole, useBrowser } from './console-page.ts'
import { leastDifference } from './colour-vision.ts'
import { fillShowcase } from './fill-showcase.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const desktop = { width: 1280, height: 900 }
const phone = { width: 360, height: 740 }

describe('the console', () => {
  const browser = useBrowser()
  const database = useDatabase('pglite')
  let inbox: Inbox
  let alerts: Alerts
  let conflict = 0
  let dead = ''
  let revised = ''

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    alerts = createAlerts({ inbox, notify: () => {} })
    await inbox.start()
    await fillShowcase(inbox, database())
    const { quarantined } = await inbox.quarantined.list()
    conflict = quarantined.find(({ reason }) => reason === 'id_conflict')?.id ?? 0
    const { rows } = await database().query<{ id: string }>(
      'select event_id as id from feed_inbox.entry where revision > 2',
    )
    revised = rows[0]?.id ?? ''
    for (const reason of ['signature_mismatch', 'overloaded'] as const) {
      const { status } = reasons[reason]
      inbox.answered({ reason, status, notes: [], durationMs: 1 })
    }
    await until('both are counted', async () => (await inbox.rejections()).length === 2)
    await inbox.pause({ reason: 'A release', by: 'Grace' })
    await database().query(
      `insert into feed_inbox.alert (source, rule, subject, message, noticed_at, opened_at)
       values ('feed', 'missed', '', 'Push left out 3 events.', now(), now())`,
    )
    await inbox.pause({ types: ['model_release'], reason: 'The index is rebuilt.', by: 'Ada' })
    dead = (await inbox.entries.list({ state: 'dead' })).entries[0]?.eventId ?? ''
  })
  afterAll(() => inbox.stop())

  const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
    [desktop, phone].map((viewport) => ({ colorScheme, viewport, width: viewport.width })),
  )
  it.each(looks)(
    'is accessible in $colorScheme at a width of $width',
    async ({ colorScheme, viewport }) => {
      const options = { colorScheme, viewport, reducedMotion: 'reduce' as const }
      const url = await serveConsole({ inbox, alerts, readOnly: false })
      const login = await openPage(browser(), url, options)
      await login.getByLabel('Token').waitFor()
      await expectFine(login, 'login')

      const page = await openScreen(browser(), url, '/overview', options)
      await page.locator('.plot').waitFor()
      await page.locator('.paused').waitFor()
      await expectFine(page, 'overview')
      await expectToldApart(page)
      await page.getByRole('button', { name: 'By type' }).click()
      await expect.poll(() => page.locator('.legend').innerText()).toContain('all others')
      await expectFine(page, 'overview by type')
      await page.getByRole('button', { name: 'Pause …' }).click()
      await page.getByRole('checkbox').first().waitFor()
      await expectFine(page, 'pause')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Resume' }).first().click()
      await page.getByRole('heading', { name: 'Resume the whole inbox?' }).waitFor()
      await expectFine(page, 'resume')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: '6 hours' }).click()
      await goTo(page, '/entries')
      await page.locator('.rows').waitFor()
      await expectFine(page, 'entries')
      await expectDense(page, viewport.width)
      await goTo(page, '/entries?search=nothing+is+like+this')
      await page.locator('.empty').waitFor()
      await expectFine(page, 'no entries')
      await goTo(page, '/entries?state=dead')
      await page.locator('.rows .line').first().waitFor()
      await expectDense(page, viewport.width)
      await goTo(page, '/entries?state=failing')
      await page.locator('.rows .state-failing').first().waitFor()
      await expectFine(page, 'failing')
      await expectDense(page, viewport.width)
      await goTo(page, '/entries?state=dead')
      await page.getByRole('button', { name: 'Retry all' }).click()
      await page.getByRole('heading', { name: /^Retry \d/ }).waitFor()
      await expectFine(page, 'retry many')
    },
  )

  it.each(looks)(
    'is accessible in $colorScheme at a width of $width, beyond the lists of entries',
    async ({ colorScheme, viewport }) => {
      const options = { colorScheme, viewport, reducedMotion: 'reduce' as const }
      const url = await serveConsole({ inbox, alerts, readOnly: false })
      const place = `/entry?id=${encodeURIComponent(dead)}`
      const page = await openScreen(browser(), url, place, options)
      await page.getByLabel('Stack trace').waitFor()
      await expectFine(page, 'entry')
      await page.getByRole('button', { name: 'Headers' }).click()
      await expectFine(page, 'headers')
      await goTo(page, '/quarantine')
      await page.locator('.rows').waitFor()
      await expectDense(page, viewport.width)
      await expectFine(page, 'quarantine')
      await goTo(page, `/quarantined?id=${conflict}`)
      await page.locator('.compare').waitFor()
      await expectFine(page, 'conflict')
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('heading', { name: 'Discard this delivery?' }).waitFor()
      await expectFine(page, 'question')
      await page.keyboard.press('Escape')
      await goTo(page, '/feed')
      await page.locator('.usage').waitFor()
      await expectFine(page, 'feed')
      await goTo(page, `/entry?id=${encodeURIComponent(revised)}`)
      await page.locator('.compare .differs').first().waitFor()
      await expectFine(page, 'revisions')
      await goTo(page, '/secrets')
      await page.locator('.card').first().waitFor()
      await expectFine(page, 'secrets')
      await goTo(page, '/nowhere')
      await expectFine(page, 'nowhere')
    },
  )
})

/** No row is higher than 44 px on a desk, and none has more than two lines on a phone. */
async function expectDense(page: Page, width: number): Promise<void> {
  const rows = page.locator('.rows.dense tbody tr')
  const heights = await rows.evaluateAll((all) =>
    all.map((row) => row.getBoundingClientRect().height),
  )
  expect(heights.length).toBeGreaterThan(0)
  expect(Math.max(...heights)).toBeLessThanOrEqual(width > 1_000 ? 44 : 60)
  const texts = rows.locator('.row-link, .under, .state, time')
  const lines = await texts.evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect().height),
  )
  expect(Math.max(...lines)).toBeLessThan(26)
}

/** Whoever lacks one of the three sorts of cones tells the colours of the chart apart as well. */
async function expectToldApart(page: Page): Promise<void> {
  const found = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.legend .swatch')].map((one) => getComputedStyle(one).backgroundColor)`,
  )
  const colours = found.map((colour) =>
    [...colour.matchAll(/[\d.]+/g)].slice(0, 3).map(([part]) => Number(part) / 255),
  )
  expect(colours.length).toBeGreaterThanOrEqual(5)
  expect(leastDifference(colours)).toBeGreaterThan(18)
}

/** No rule of axe is broken, nothing has to be scrolled sideways, and nothing moves. */
async function expectFine(page: Page, screen: string): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(`axe.run(document).then(({ violations, passes }) => ({
    isLookedAt: passes.length > 10,
    broken: violations.map(({ id, impact, nodes }) => [id, impact, ...nodes.map(({ html }) => html)]),
    isTooWide: document.documentElement.scrollWidth > innerWidth,
    moving: document.getAnimations().length,
  }))`)
  const fine = { isLookedAt: true, broken: [], isTooWide: false, moving: 0 }
  expect({ screen, found }).toEqual({ screen, found: fine })
}
